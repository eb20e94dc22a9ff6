/** The merge of individuals that were found to be one animal. */
import { issue } from '../../core/errors';
import { raw, sql, type Sql } from '../../plugins/objects/server/database/sql';
import { askOne, type Work } from '../../plugins/objects/server/database/work';
import type { MergeAction, MergeContext } from '../../plugins/objects/server/define/behavior';
import { isPrivileged } from '../../plugins/objects/server/rights/row';
import type { Body } from '../../plugins/objects/server/types';
import { MAX_RELATIONSHIPS } from './domain/relationships';
import {
  CHOSEN,
  conflictsOf,
  contradictions,
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
      encounters: count(
        'The encounters that move: for moderators and administrators all, for everybody else the approved ones.',
      ),
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
          properties: { path: { type: 'string' }, values: { type: 'array' } },
        },
      },
    },
  },

  *plan(into, from, context) {
    const { given } = context;
    const names = unitedNames(into, from, into['taxonomy']);
    const relationships = unitedRelationships(into, from);
    const kin = contradictions(relationships);
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
        relationships: relationships.length - unitedRelationships(into, []).length,
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

/** As the figures of individuals count them: moderators and administrators all, others the approved ones. */
function* countEncounters(from: readonly Body[], context: MergeContext): Work<number> {
  const column = isPrivileged(context.caller.role) ? 'encounter_count' : 'public_encounter_count';
  const row = yield* askOne(
    sql`select cast(sum(i.${raw(column)}) as integer) from individuals i
      where i.document_id in ${listed(from, context)}`,
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
