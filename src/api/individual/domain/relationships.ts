/**
 * Relationships of individuals. An edge between parent and offspring is stored with the offspring; all others are
 * symmetric.
 */
import { issue, type Issue } from '../../../core/errors';
import { raw, sql } from '../../../plugins/objects/server/database/sql';
import { ask } from '../../../plugins/objects/server/database/work';
import type { Rule } from '../../../plugins/objects/server/declare/behavior';
import type { EdgesDeclaration } from '../../../plugins/objects/server/declare/declaration';
import type { Relationship } from '../../../plugins/objects/server/kinds/relationships';

type Individual = Readonly<Record<string, unknown>>;

const TABLE = 'oms_relationships';

/** The relationships of one animal, also those that others have added. */
export const MAX_RELATIONSHIPS = 1000;

export const TYPES = ['mother', 'father', 'offspring', 'sibling', 'mate', 'associate'];

/** Two individuals have at most one of these relationships. */
export const KIN: ReadonlySet<string> = new Set(['mother', 'father', 'offspring']);

export const PARENTS: Readonly<Record<string, string>> = { female: 'mother', male: 'father' };

/** The relationship of a parent to its offspring; null while its sex is unknown. */
export const parentOf = ({ sex }: Individual): string | null => PARENTS[String(sex)] ?? null;

export const EDGES: EdgesDeclaration = {
  table: TABLE,
  inverses: { mother: 'offspring', father: 'offspring' },
  alike: ['sibling', 'mate', 'associate'],
  inverted: parentOf,
};

export const relationshipsOf = (individual: Individual | null): readonly Relationship[] =>
  (individual?.['relationships'] ?? []) as readonly Relationship[];

/** The faults of the relationships that a change adds. */
export const relationshipsAgree: Rule = {
  fields: ['relationships', 'sex'],
  *check(individual, { before, dialect, names }) {
    const given = relationshipsOf(individual).map((one, at) => ({
      ...one,
      path: `relationships.${at}`,
    }));
    const isOld = ({ individual: id, type }: Relationship): boolean =>
      relationshipsOf(before).some((known) => known.individual === id && known.type === type);
    const fresh = given.filter((one) => !isOld(one));
    if (fresh.length === 0) return [];
    const issues: Issue[] = fresh.flatMap(({ individual: id, type, path }) => [
      ...(id === before?.['id'] ? [issue(`${path}.individual`, 'CONFLICT', { with: 'id' })] : []),
      ...(type === 'offspring' && parentOf(individual) === null
        ? [issue(`${path}.type`, 'CONFLICT', { with: 'sex' })]
        : []),
    ]);
    for (const [at, { individual: id, type, path }] of given.entries()) {
      const earlier = given
        .slice(0, at)
        .find((one) => one.individual === id && one.type !== type && KIN.has(one.type));
      if (earlier && KIN.has(type))
        issues.push(issue(`${path}.type`, 'CONFLICT', { with: `${earlier.path}.type` }));
    }
    const ids = dialect.jsonItems(sql`${JSON.stringify(fresh.map((one) => one.individual))}`);
    const full = yield* ask(
      sql`select o.document_id from ${names.table('individual')} o where o.document_id in (select j.value from ${ids})
       and (select count(*) from ${raw(TABLE)} r where r.source = o.id)
         + (select count(*) from ${raw(TABLE)} r where r.target = o.id) >= ${MAX_RELATIONSHIPS}`,
    );
    const isFull = new Set(full.map(([id]) => id));
    return [
      ...issues,
      ...fresh
        .filter((one) => isFull.has(one.individual))
        .map(({ path }) => issue(`${path}.individual`, 'TOO_LONG', { max: MAX_RELATIONSHIPS })),
    ];
  },
};
