/**
 * With what each call may be refused: what the stages refuse of any call, what follows from the table of rights and from
 * the declaration of the type, and what the route names beside.
 */
import { ERRORS, type ErrorKey } from '../../core/errors';
import type { Field, Resource, Resources } from '../../plugins/objects/server/define/completed';
import { isForEverybody, refusalsOf } from '../../plugins/objects/server/rights/row';
import type { Route } from '../../plugins/wire/server/request';
import type { AnyOperation, StandardOperation } from '../operations';

const OF_ANY_CALL: readonly ErrorKey[] = [
  'MALFORMED',
  'URL_TOO_LONG',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

/** Reads are counted, changes have a body and an origin. */
const OF_READS: readonly ErrorKey[] = ['TOO_MANY_REQUESTS'];
const OF_CHANGES: readonly ErrorKey[] = ['BODY_TOO_LARGE', 'MEDIA_TYPE_NOT_ACCEPTED', 'CROSS_SITE'];

/** The keys that may refuse a call, in the order of the catalogue. */
export function refusalsOfCall({ method, config }: Route, resources: Resources): ErrorKey[] {
  const operation = config.operation as AnyOperation;
  const keys = new Set([
    ...OF_ANY_CALL,
    ...(method === 'GET' ? OF_READS : OF_CHANGES),
    ...ownRefusals(operation, resources),
  ]);
  return (Object.keys(ERRORS) as ErrorKey[]).filter((key) => keys.has(key));
}

function ownRefusals(operation: AnyOperation, resources: Resources): readonly ErrorKey[] {
  if (operation.kind === 'document') return [];
  if (operation.kind === 'action')
    return [...operation.refusals, ...(operation.needsLogin ? (['LOGIN_REQUIRED'] as const) : [])];
  const resource = resources.get(operation.type);
  if (!resource)
    throw new RangeError(`a route of the type "${operation.type}", which has no resource`);
  return [...operation.refusals, ...OF_KINDS[operation.kind](resource, resources)];
}

const OF_KINDS: Record<
  StandardOperation['kind'],
  (resource: Resource, resources: Resources) => readonly ErrorKey[]
> = {
  create: (resource) => [
    ...refusedBy(resource, 'create'),
    'ENTITY_EXISTS',
    ...given(
      hasForbidden(resource, ({ onCreate, input }) => !onCreate && !input),
      FORBIDDEN,
    ),
    // What strangers may make is counted by their networks.
    ...given(isForStrangers(resource, 'create'), 'TOO_MANY_REQUESTS'),
  ],
  read: (resource) => [...refusedBy(resource, 'read'), ...notFound(resource)],
  update: (resource) => [
    ...refusedBy(resource, 'update'),
    ...notFound(resource),
    'VERSION_MISMATCH',
    ...given(
      resource.unique.some(({ fields }) => !fields.includes('id')),
      'ENTITY_EXISTS',
    ),
    ...given(
      hasForbidden(resource, () => true),
      FORBIDDEN,
    ),
  ],
  delete: (resource, resources) => [
    ...refusedBy(resource, 'delete'),
    'ENTITY_NOT_FOUND',
    'VERSION_MISMATCH',
    ...given(isRestricted(resource, resources), 'IN_USE'),
  ],
};

/** Whether a call can be made without a login, at least of some sites and objects. */
export function mayBeMadeByStrangers(operation: AnyOperation, resources: Resources): boolean {
  if (operation.kind === 'document') return true;
  if (operation.kind === 'action') return operation.needsLogin !== true;
  const resource = resources.get(operation.type);
  return resource !== undefined && isForStrangers(resource, operation.kind);
}

const isForStrangers = ({ rights }: Resource, action: StandardOperation['kind']): boolean =>
  (rights.get(action)?.anonymous.length ?? 0) > 0;

/** The one object of a type is always there. */
const notFound = ({ single }: Resource): ErrorKey[] => given(single === null, 'ENTITY_NOT_FOUND');

const FORBIDDEN = 'FIELD_NOT_PERMITTED';

const given = (condition: boolean, key: ErrorKey): ErrorKey[] => (condition ? [key] : []);

/** What the type's row says to whom it does not grant all; what nobody may read is not there. */
function refusedBy({ rights }: Resource, action: StandardOperation['kind']): readonly ErrorKey[] {
  const row = rights.get(action);
  if (!row) return [];
  return refusalsOf(row, (extent) => (action === 'read' ? extent.length === 0 : extent !== 'all'));
}

/** Whether a field that may be sent is not everybody's to write. */
const hasForbidden = ({ fields }: Resource, isMeant: (field: Field) => boolean): boolean =>
  [...fields.values()].some(
    (field) => !field.derived && isMeant(field) && !isForEverybody(field.written),
  );

/** Whether a reference keeps an object of the type from being deleted. */
const isRestricted = ({ type }: Resource, resources: Resources): boolean =>
  [...resources.values()].some(({ fields }) =>
    [...fields.values()].some(
      ({ to, onDelete, columns }) => to === type && onDelete === 'restrict' && columns.length > 0,
    ),
  );
