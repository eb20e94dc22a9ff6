/** The merge of individuals that were found to be one animal. */
import { issue } from '../../core/errors';
import { raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { askOne, type Work } from '../../plugins/objects/server/database/work';
import type { MergeAction, MergeContext } from '../../plugins/objects/server/declare/behavior';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { impossibleKin, type Kindred } from './domain/kin';
import { MAX_RELATIONSHIPS } from './domain/relationships';
import {
  CHOSEN,
  conflictsOf,
  contradictions,
  gainedRelationships,
  unitedNames,
  unitedRelationships,
  unitedTags,
} from './domain/united';

const count = (description: string) => ({ type: 'integer', minimum: 0, description });

export const merge: MergeAction = {
  summary: 'Merge individuals that were found to be one animal into this one',
  body: {
    from: {
      kind: 'references',
      required: true,
      description:
        'The IDs of the individuals that become this one. Their encounters, names, tags, relationships and followers move to it; they themselves answer a read with `{id, merged_into}`, and are found by no search.',
    },
    dry_run: {
      kind: 'boolean',
      description: 'Nothing is changed. The answer is what the merge would do.',
    },
  },
  refusals: ['ENTITY_EXISTS'],
  merges: {
    from: 'from',
    dryRun: 'dry_run',
    fields: CHOSEN,
    kept: ['owner'],
    preview: {
      encounters: count('The encounters that move, as far as the caller sees them exactly.'),
      relationships: count('The relationships that come over.'),
      followers: count('The users who follow one of `from`.'),
      names: {
        type: 'array',
        items: { type: 'object' },
        description: 'All names that it then has.',
      },
      conflicts: {
        type: 'array',
        description:
          'Values that differ. It keeps its own, the first one, unless the body gives the field. A conflict of `taxonomy` or `relationships` refuses the merge.',
        items: {
          type: 'object',
          required: ['path', 'values'],
          properties: { path: { type: 'string' }, values: { type: 'array', items: {} } },
        },
      },
    },
  },

  *plan(into, from, context) {
    const { given } = context;
    const names = unitedNames(into, from, into['taxonomy']);
    const relationships = unitedRelationships(into, from);
    const self: Kindred = {
      ids: [into, ...from].map(({ id }) => String(id)),
      sex: given.has('sex') ? context.values['sex'] : into['sex'],
      list: relationships,
      fresh: relationships,
      gone: [],
    };
    const impossible = (yield* impossibleKin(self, context)).map(({ one }) => one);
    const kin = [...new Set([...contradictions(relationships), ...impossible])];
    const isTooMany = relationships.length > MAX_RELATIONSHIPS;
    return {
      united: { names, ...(given.has('tags') ? {} : { tags: unitedTags(into, from) }) },
      edges: { relationships },
      issues: [
        ...(kin.length > 0 ? [issue('relationships', 'CONFLICT', { with: 'from' })] : []),
        ...(isTooMany ? [issue('relationships', 'TOO_LONG', { max: MAX_RELATIONSHIPS })] : []),
      ],
      preview: {
        encounters: yield* countEncounters(from, context),
        relationships: gainedRelationships(into, from).length,
        followers: yield* countFollowers(from, context),
        names,
        conflicts: [
          ...conflictsOf(into, from, given),
          ...(kin.length > 0 ? [{ path: 'relationships', values: kin }] : []),
        ],
      },
    };
  },
};

const listed = (from: readonly Body[], { dialect }: MergeContext): Sql =>
  sql`(select j.value from ${dialect.jsonItems(sql`${JSON.stringify(from.map(({ id }) => id))}`)})`;

/** Of hidden encounters of others nobody is told how many there are. */
function* countEncounters(from: readonly Body[], context: MergeContext): Work<number> {
  const row = yield* askOne(
    sql`select cast(count(*) as integer) from individuals i join encounters e on e.individual_id = i.id
      where i.document_id in ${listed(from, context)} and ${context.seesExactly('encounter', 'e')}`,
  );
  return Number(row?.[0] ?? 0);
}

/** The users who follow one of them. */
function* countFollowers(from: readonly Body[], context: MergeContext): Work<number> {
  const { table, source, target } = context.names.link('user', 'followed_individuals');
  const row = yield* askOne(
    sql`select cast(count(distinct l.${raw(source)}) as integer) from ${raw(table)} l
      join individuals i on i.id = l.${raw(target)} where i.document_id in ${listed(from, context)}`,
  );
  return Number(row?.[0] ?? 0);
}
