/**
 * The keys with which each call may be refused: those of the stages, those that follow from the table of rights and the
 * type's declaration, and those that the route names.
 */
import { ERRORS, type ErrorKey } from '../../core/errors';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { WITHOUT_CLAIM } from '../../plugins/objects/server/declare/relations';
import { isForEverybody, refusalsOf, type Extent } from '../../plugins/objects/server/declare/row';
import type { Route } from '../../plugins/wire/server/request';
import type { AnyOperation, HistoryOperation, StandardOperation } from '../operations';
import type { CallRefusals, General } from './refusal-responses';

const OF_ANY_CALL: readonly ErrorKey[] = [
  'MALFORMED',
  'URL_TOO_LONG',
  'INTERNAL_ERROR',
  'UNAVAILABLE',
];

/** With a cookie or bearer of no session. */
const OF_SESSIONS: readonly ErrorKey[] = ['SESSION_ENDED'];

/** Reads count towards a limit; changes have a body and an origin. */
const OF_READS: readonly ErrorKey[] = ['TOO_MANY_REQUESTS'];
const OF_CHANGES: readonly ErrorKey[] = ['BODY_TOO_LARGE', 'MEDIA_TYPE_NOT_ACCEPTED', 'CROSS_SITE'];

/** The keys that may refuse a call, in the order of the catalogue. */
export function refusalsOfCall(route: Route, resources: Resources): CallRefusals {
  const general = generalOf(route);
  const operation = route.config.operation as AnyOperation;
  return { general, keys: inOrder([...general.keys, ...ownRefusals(operation, resources)]) };
}

/** What all reads, all changes, and all calls about sessions may be refused with. */
function generalOf({ method, config }: Route): General {
  const isForEnded = config.operation.isForEndedSessions === true;
  const keys = [
    ...OF_ANY_CALL,
    ...(method === 'GET' ? OF_READS : OF_CHANGES),
    ...(isForEnded ? [] : OF_SESSIONS),
  ];
  const name = method === 'GET' ? 'RefusedRead' : isForEnded ? 'RefusedLogin' : 'RefusedChange';
  return { name, keys: inOrder(keys) };
}

const inOrder = (keys: readonly ErrorKey[]): ErrorKey[] =>
  (Object.keys(ERRORS) as ErrorKey[]).filter((key) => keys.includes(key));

function ownRefusals(operation: AnyOperation, resources: Resources): readonly ErrorKey[] {
  if (operation.kind === 'document') return [];
  if (operation.kind === 'action') {
    const read = resources.get(operation.reads ?? '');
    return [
      ...operation.refusals,
      ...(operation.needsLogin ? (['LOGIN_REQUIRED'] as const) : []),
      ...(read ? refusedBy(read, 'read') : []),
      // Its table may be made anew.
      ...keyIf(operation.refusals.includes('SEARCH_TOO_SLOW') && !!read?.searched, 'NOT_READY'),
    ];
  }
  const resource = resources.get(operation.type);
  if (!resource)
    throw new RangeError(`a route of the type "${operation.type}", which has no resource`);
  if (operation.kind === 'act') return ofAct(resource, operation.action);
  if (operation.kind === 'history') return OF_KINDS.history(resource, resources);
  const kind = operation.kind === 'file' ? 'read' : operation.kind;
  return [...operation.refusals, ...OF_KINDS[kind](resource, resources)];
}

const OF_KINDS: Record<
  StandardOperation['kind'] | HistoryOperation['kind'],
  (resource: Resource, resources: Resources) => readonly ErrorKey[]
> = {
  create: (resource) => [
    ...refusedBy(resource, 'create'),
    'ENTITY_EXISTS',
    ...keyIf(
      hasForbidden(resource, ({ onCreate, input }) => !onCreate && !input),
      FORBIDDEN,
    ),
    // Creates without an account are limited per network.
    ...keyIf(isForStrangers(resource, 'create'), 'TOO_MANY_REQUESTS'),
  ],
  read: (resource) => [...refusedBy(resource, 'read'), ...notFound(resource)],
  update: (resource) => [
    ...refusedBy(resource, 'update'),
    ...notFound(resource),
    ...merged(resource),
    'VERSION_MISMATCH',
    ...keyIf(
      resource.uniqueRecords.length > 0 ||
        resource.unique.some(({ fields }) => !fields.includes('id')),
      'ENTITY_EXISTS',
    ),
    ...keyIf(
      hasForbidden(resource, () => true),
      FORBIDDEN,
    ),
  ],
  delete: (resource, resources) => [
    ...refusedBy(resource, 'delete'),
    'ENTITY_NOT_FOUND',
    ...merged(resource),
    'VERSION_MISMATCH',
    ...keyIf(isRestricted(resource, resources), 'IN_USE'),
  ],
  history: (resource) => [...refusedBy(resource, 'history'), 'ENTITY_NOT_FOUND'],
};

const ofAct = (resource: Resource, action: string): readonly ErrorKey[] => [
  ...refusedBy(resource, action),
  'ENTITY_NOT_FOUND',
  ...merged(resource),
  'VERSION_MISMATCH',
  ...(resource.actions.get(action)?.refusals ?? []),
];

/** Whether a call can be made without a login, with some settings of the site and for some objects. */
export function mayBeMadeByStrangers(operation: AnyOperation, resources: Resources): boolean {
  if (operation.kind === 'document') return true;
  if (operation.kind === 'action') return operation.needsLogin !== true;
  const resource = resources.get(operation.type);
  if (operation.kind === 'act')
    return resource !== undefined && isForStrangers(resource, operation.action);
  const kind = operation.kind === 'file' ? 'read' : operation.kind;
  return resource !== undefined && isForStrangers(resource, kind);
}

const isForStrangers = ({ rights }: Resource, action: string): boolean =>
  (rights.get(action)?.anonymous.length ?? 0) > 0;

/** The one object of a type is always there. */
const notFound = ({ single }: Resource): ErrorKey[] => keyIf(single === null, 'ENTITY_NOT_FOUND');

/** What was merged into another object takes no change. */
const merged = ({ mergedInto }: Resource): ErrorKey[] => keyIf(mergedInto !== null, 'MERGED');

const FORBIDDEN = 'FIELD_NOT_PERMITTED';

const keyIf = (condition: boolean, key: ErrorKey): ErrorKey[] => (condition ? [key] : []);

/** What the type's row says to whom it does not grant all; what nobody may read is not there. */
function refusedBy({ rights, relations }: Resource, action: string): readonly ErrorKey[] {
  const row = rights.get(action);
  if (!row) return [];
  const reachesNothing = (extent: Extent): boolean =>
    extent !== 'all' && extent.every((name) => relations.get(name)?.(WITHOUT_CLAIM) === null);
  return refusalsOf(row, (extent) =>
    action === 'read' ? reachesNothing(extent) : extent !== 'all',
  );
}

/** Whether there is a field that not every caller may write. */
const hasForbidden = ({ fields }: Resource, isMeant: (field: Field) => boolean): boolean =>
  [...fields.values()].some(
    (field) => !field.derived && isMeant(field) && !isForEverybody(field.written),
  );

/** Whether a reference can prevent the deletion of an object of the type. */
const isRestricted = ({ type }: Resource, resources: Resources): boolean =>
  [...resources.values()].some(({ fields }) =>
    [...fields.values()].some(
      ({ to, onDelete, columns }) => to === type && onDelete === 'restrict' && columns.length > 0,
    ),
  );
