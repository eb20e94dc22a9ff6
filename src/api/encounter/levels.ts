/** The levels of encounters and individuals, by what a transaction looks up once (`privacy.ts`). */
import { sql } from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Work } from '../../plugins/objects/server/database/work';
import type { LookUpContext } from '../../plugins/objects/server/declare/behavior';
import { ANY_PROTECTED, codeIn } from './level';
import type { SiteSettings } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { IS_ANY_PROTECTED, questionOf } from './privacy';

type Context = Pick<LookUpContext, 'dialect' | 'references'> & { readonly site: SiteSettings };

/**
 * The levels of taxa, looked up once in a transaction. Until that ends, they stay: a change of one that comes later
 * finds the encounter.
 */
export function* learnLevels(
  ids: readonly unknown[],
  { references, dialect }: Pick<Context, 'references' | 'dialect'>,
): Work<void> {
  const asked = new Set(ids.filter((id) => typeof id === 'string'));
  const unknown = [...asked].filter((id) => references.answer(questionOf(id)) === undefined).sort();
  if (unknown.length === 0) return;
  const listed = dialect.jsonItems(sql`${JSON.stringify(unknown)}`);
  const rows = yield* ask(
    sql`select p.document_id, ${codeIn('p')} from taxonomies p
      where p.document_id ${dialect.among(sql`select j.value from ${listed}`)}${dialect.forShare}`,
  );
  const levels = new Map(rows.map(([id, level]) => [id, level]));
  for (const id of unknown) references.putAnswer(questionOf(id), levels.get(id) ?? 0);
}

/** Looks up whether any taxon is protected, where an encounter has none at all. Until the transaction ends, it stays. */
export function* learnProtection(encounters: readonly Body[], context: Context): Work<void> {
  const { references, dialect, site } = context;
  const isUntaxed = encounters.some(
    ({ taxonomy, protected_as: lent }) => (taxonomy ?? lent ?? null) === null,
  );
  if (!isUntaxed || !site.protectUnidentified) return;
  if (references.answer(IS_ANY_PROTECTED) !== undefined) return;
  const lock = dialect.lockShared('protection');
  if (lock) yield* ask(lock);
  const row = yield* askOne(sql`select case when ${ANY_PROTECTED} then 1 else 0 end`);
  references.putAnswer(IS_ANY_PROTECTED, Number(row?.[0]));
}
