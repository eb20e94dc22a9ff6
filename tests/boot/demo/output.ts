/** What the demo prints. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { asObject, parsed, type Json } from '../../helpers/json';
import type { ServiceProcess } from '../../helpers/process';

/** The accounts with their passwords. */
export const accountsIn = (service: ServiceProcess): { email: string; password: string }[] =>
  [...service.output().matchAll(/^ {2}(\S+@\S+) +password (\S+)$/gm)].map(
    ([, email = '', password = '']) => ({ email, password }),
  );

/** The paths of the records that are printed. */
export const placesIn = (service: ServiceProcess): string[] =>
  [...service.output().matchAll(/(encounter|individual|org)\/[-0-9a-f]{36}/g)].map(
    ([path]) => path,
  );

/** The address of the elephant. */
export const elephantIn = (service: ServiceProcess): string =>
  /^ {2}elephant='(.*)'$/m.exec(service.output())?.[1] ?? '';

/** A column of the table of the elephant. */
export function tableIn(service: ServiceProcess, column: 0 | 1): Json {
  const rows = [...service.output().matchAll(/^ {2}([a-z_]+) {2,}(\S.*?) {2,}(\S.*)$/gm)];
  const cells = rows.map(([, field = '', ...values]) => [field, values[column] ?? ''] as const);
  return Object.fromEntries(
    cells.filter(([, text]) => text !== '(absent)').map(([field, text]) => [field, parsed(text)]),
  );
}

/** The commands about the elephant. */
export const commandsIn = (service: ServiceProcess): string =>
  /^ {2}elephant=[\s\S]*?(?=^\S)/m.exec(service.output())?.[0] ?? '';

/** The answers that commands of a shell print, one after the other. */
export async function printedBy(commands: string): Promise<Json[]> {
  const { stdout } = await promisify(execFile)('bash', ['-ec', commands]);
  return stdout.split(/(?<=\})(?=\{)/).map((text) => asObject(parsed(text)));
}
