/** What the service asks of accounts beside what the objects service gives: by name, with the hash. */
import type { Database } from '../../../objects/server/database/database';
import type { Row } from '../../../objects/server/database/work';
import type { Role } from '../caller';
import { fold } from '../fold';

/** The content type of users-permissions, and its table. */
export const USER_UID = 'plugin::users-permissions.user';
export const USERS = 'up_users';

/** An account, with what nobody sees of it. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** The hash of its password; null while it has none. */
  readonly password: string | null;
  readonly isVerified: boolean;
  readonly isBlocked: boolean;
  readonly language: string | null;
}

const select = (column: string): string =>
  `select document_id, name, email, account_role, password,
     case when email_verified is true then 1 else 0 end,
     case when blocked is true then 1 else 0 end, language
   from ${USERS} where ${column} = ?`;

/** Each with one parameter. */
export const BY_ID = select('document_id');
export const BY_EMAIL = select('email_key');
const BY_USERNAME = select('username_key');

/** A row of these. */
export const accountOf = (row: Row): Account => ({
  id: String(row[0]),
  name: String(row[1]),
  email: String(row[2]),
  role: row[3] as Role,
  password: (row[4] ?? null) as string | null,
  isVerified: Number(row[5]) === 1,
  isBlocked: Number(row[6]) === 1,
  language: (row[7] ?? null) as string | null,
});

const find = async (database: Database, text: string, value: string): Promise<Account | null> => {
  const [row] = await database.read(text, [value]);
  return row ? accountOf(row) : null;
};

export const findById = (database: Database, id: string): Promise<Account | null> =>
  find(database, BY_ID, id);

/** Whom a login means: the address, or the user name, which never holds an `@`. */
export const findByName = (database: Database, name: string): Promise<Account | null> => {
  const key = fold(name);
  return find(database, key.includes('@') ? BY_EMAIL : BY_USERNAME, key);
};
