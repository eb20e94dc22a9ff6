/** Follows the changes of a transaction: rows are changed where they are, or made anew. */
import { isDeepStrictEqual } from 'node:util';
import type { SqlValue } from '../../database/sql';
import type { Work } from '../../database/work';
import type { Affected, Kept, KeptContext } from '../../declare/behavior';
import type { Field, Resource } from '../../declare/completed';
import { isMoved, moveReferences } from './moved';
import type { Projection } from './projection';
import type { ProjectedRows } from './rows';

/** Objects whose rows are written together, in their order. */
const TOGETHER = 5_000;

const rowsOf = (some: readonly Affected[]): SqlValue[] => [
  ...new Set(some.map(({ rowId }) => rowId)),
];

const isAmong = (names: ReadonlySet<string>, body: Affected['after']): boolean =>
  Object.keys(body ?? {}).some((name) => names.has(name));

function* sets<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** Objects by how their rows follow. */
interface Followed {
  /** Of which references were changed alone. */
  readonly moved: readonly Affected[];
  /** Whose rows stay in their places, by the fields that were changed. */
  readonly changed: readonly Changed[];
  /** Whose rows are made anew. */
  readonly anew: readonly Affected[];
}

interface Changed {
  readonly fields: ReadonlySet<string>;
  readonly objects: readonly Affected[];
}

export function following(
  resource: Resource,
  { fields, keep, ofAudiences }: Projection,
  { drop }: ProjectedRows,
): NonNullable<Kept['follow']> {
  const isAlone = isMoved(ofAudiences?.movable ?? new Map<string, Field>());

  /** The fields that a change has changed, of those that searches need; null for an object that is new or gone. */
  const changedFields = ({ before, after }: Affected): Set<string> | null =>
    before && after
      ? new Set([...fields].filter((name) => !isDeepStrictEqual(before[name], after[name])))
      : null;

  function sorted(affected: readonly Affected[]): Followed {
    const changes = new Map<string, { fields: Set<string>; objects: Affected[] }>();
    const [moved, anew]: [Affected[], Affected[]] = [[], []];
    for (const one of affected) {
      const changed = changedFields(one);
      if (isAlone(one)) moved.push(one);
      else if (!changed || !ofAudiences?.audiences.staysInPlace(changed)) anew.push(one);
      else {
        const key = [...changed].join();
        const alike = changes.get(key) ?? { fields: changed, objects: [] };
        alike.objects.push(one);
        changes.set(key, alike);
      }
    }
    return { moved, changed: [...changes.values()], anew };
  }

  function* move(moved: readonly Affected[], context: KeptContext): Work<void> {
    if (!ofAudiences || moved.length === 0) return;
    const { table, audiences, movable, marking } = ofAudiences;
    const { setSize } = context.dialect;
    const names = new Set(moved.flatMap(({ after }) => Object.keys(after ?? {})));
    const references = [...movable.values()].filter(({ name }) => names.has(name));
    for (const some of sets(rowsOf(moved), setSize))
      yield* moveReferences(resource, table, references, some, context);
    const marked = moved.filter(({ after }) => isAmong(marking, after));
    for (const some of sets(rowsOf(marked), setSize)) yield* audiences.mark(some, context);
  }

  function* change(changed: readonly Changed[], context: KeptContext): Work<void> {
    if (!ofAudiences) return;
    for (const { fields: names, objects } of changed)
      for (const some of sets(objects, context.dialect.setSize))
        yield* ofAudiences.audiences.change(some, names, context);
  }

  function* makeAnew(anew: readonly Affected[], context: KeptContext): Work<void> {
    const { setSize } = context.dialect;
    const known = rowsOf(anew.filter(({ before }) => before !== null));
    for (const some of sets(known, setSize)) yield* drop(some, context, true);
    const there = anew.filter(({ after }) => after !== null);
    for (const some of sets(there, ofAudiences ? TOGETHER : setSize))
      yield* ofAudiences
        ? ofAudiences.audiences.keepAfter(some, context)
        : keep(rowsOf(some), context, true);
  }

  return function* follow(affected, context) {
    const { moved, changed, anew } = sorted(affected);
    yield* move(moved, context);
    yield* change(changed, context);
    yield* makeAnew(anew, context);
  };
}
