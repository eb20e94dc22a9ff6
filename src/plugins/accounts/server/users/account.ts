/** Reads accounts by name and with their hash, which the objects service does not. */
import { local, type Caller, type Role } from '../../../../core/caller';
import { addressKey } from '../../../../core/formats';
import { fold } from '../../../../core/text';
import type { Database } from '../../../objects/server/database/database';
import { raw, sql, type Sql } from '../../../objects/server/database/sql';
import type { Row } from '../../../objects/server/database/work';

/** The content type of users-permissions, and its table. */
export const USER_UID = 'plugin::users-permissions.user';
export const USERS = raw('up_users');

/** An account, with fields that no caller sees. */
export interface Account {
  readonly id: string;
  readonly rowId: number;
  readonly name: string;
  readonly email: string;
  readonly username: string | null;
  readonly role: Role;
  /** The hash of its password; null without one. */
  readonly password: string | null;
  readonly isVerified: boolean;
  readonly isBlocked: boolean;
  readonly language: string | null;
}

const select = (condition: Sql): Sql =>
  sql`select document_id, name, email, account_role, password,
     case when email_verified is true then 1 else 0 end,
     case when blocked is true then 1 else 0 end, language, username, id
   from ${USERS} where ${condition}`;

/** Selects a row for `accountOf`. */
export const accountWithId = (id: string): Sql => select(sql`document_id = ${id}`);
export const accountWithEmail = (emailKey: string): Sql => select(sql`email_key = ${emailKey}`);

/** The account of a row. */
export const accountOf = (row: Row): Account => ({
  id: String(row[0]),
  name: String(row[1]),
  email: String(row[2]),
  role: row[3] as Role,
  password: (row[4] ?? null) as string | null,
  isVerified: Number(row[5]) === 1,
  isBlocked: Number(row[6]) === 1,
  language: (row[7] ?? null) as string | null,
  username: (row[8] ?? null) as string | null,
  rowId: Number(row[9]),
});

/** A caller inside the process with the rights of an account, whom the history names. */
export const callerAs = ({ id, rowId, name, role }: Account): Caller =>
  local({ role, id, rowId, session: null, actor: { kind: 'user', name } });

const find = async (database: Database, query: Sql): Promise<Account | null> => {
  const [row] = await database.read(query);
  return row ? accountOf(row) : null;
};

export const findById = (database: Database, id: string): Promise<Account | null> =>
  find(database, accountWithId(id));

/** Finds the account of a login by its address or its user name, which never contains an `@`. */
export const findByName = (database: Database, name: string): Promise<Account | null> => {
  return find(
    database,
    fold(name).includes('@')
      ? accountWithEmail(addressKey(name))
      : select(sql`username_key = ${fold(name)}`),
  );
};
