/** What a reader may see of a type, as SQL: the table of permissions for many objects at once. */
import type { Caller, Role } from '../../../accounts/server/caller';
import type { Access, Right } from '../../../accounts/server/permissions';
import type { SqlValue } from '../database/work';
import type { Resource, Resources } from '../define/resource';
import type { Model } from '../model';

type Writing = (resource: Resource, alias: string, resources: Resources) => string;

const NONE: Writing = () => '1 = 0';
const ALL: Writing = () => '1 = 1';

const isApproved: Writing = ({ approved }, alias) =>
  approved ? `${alias}.${approved.column} = '${approved.value}'` : '1 = 1';

/** One parameter: the caller's ID. */
const isOwn: Writing = ({ ownedBy }, alias, resources) => {
  const [column] = ownedBy?.columns ?? [];
  if (!ownedBy || column === undefined) return '1 = 0';
  const owners = ownedBy.to === null ? undefined : resources.get(ownedBy.to);
  return owners
    ? `${alias}.${column} = (select u.id from ${owners.table} u where u.document_id = ?)`
    : `${alias}.${column} = ?`;
};

const CONDITIONS: Record<Right, Writing> = {
  none: NONE,
  reports: NONE,
  own: isOwn,
  approved: (...of) => `(${isApproved(...of)} or ${isOwn(...of)})`,
  open: isApproved,
  any: ALL,
};

/** SQL whose only parameters are the caller's ID, and how many of them it has. */
export interface Condition {
  readonly text: string;
  readonly parameters: number;
}

/** Whether a caller of this role may read the row `alias`. */
export function isReadable(
  resource: Resource,
  role: Role,
  access: Access,
  alias: string,
  resources: Resources,
): Condition {
  const right = resource.permissions.read[role];
  const isClosed = right === 'open' && access.readers !== 'anyone';
  const text = CONDITIONS[isClosed ? 'none' : right](resource, alias, resources);
  return { text, parameters: text.split('?').length - 1 };
}

/** Which of these objects exist and may be read by this caller: the parameters are a JSON list of IDs, then the caller's. */
export function readableAmong(
  { resources, database, site }: Model,
  resource: Resource,
  { role, id }: Caller,
  columns: string,
  ids: readonly string[],
): { text: string; values: SqlValue[] } {
  const condition = isReadable(resource, role, site(), 'o', resources);
  return {
    text: `select ${columns} from ${resource.table} o
     where o.document_id in (select j.value from ${database.dialect.jsonItems}) and ${condition.text}`,
    values: [JSON.stringify(ids), ...Array<SqlValue>(condition.parameters).fill(id ?? '')],
  };
}
