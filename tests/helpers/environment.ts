import { VARIABLE_NAMES } from '#app/boot/environment';
import { S3_VARIABLES } from '#app/boot/s3-environment';

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

/** What names the database and the storage of a service, besides its data directory. */
const PLACES = ['DATABASE_CLIENT', 'DATABASE_URL', ...Object.keys(S3_VARIABLES)];

/** The variables of a process that works on database and storage of the service in this one. */
export const environmentOf = (dataDir: string): Record<string, string> => ({
  ...Object.fromEntries(
    PLACES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ),
  OMS_DATA_DIR: dataDir,
  // The SDK of S3 warns of this Node.
  NODE_NO_WARNINGS: '1',
});
