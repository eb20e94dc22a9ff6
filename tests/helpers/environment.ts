import { VARIABLE_NAMES } from '#app/boot/environment';

/** Every variable of the service, as if the machine and its `.env` said nothing: an empty one counts as absent. */
export const blankEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  VARIABLE_NAMES.map((name) => [name, '']),
);

/** Sets variables of this process; what is returned puts back what was there. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
