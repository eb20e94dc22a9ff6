/**
 * Reports without an account (contract, section 9): the claim that its sender may make itself, and the adoption of a report
 * by whoever carries its claim.
 */
import { notice } from '../../core/notices';
import { hashOfSecret } from '../../core/secret';
import { sql, type Sql } from '../../plugins/objects/server/database/sql';
import { ask, askOne, type Work } from '../../plugins/objects/server/database/work';
import type {
  ActionContext,
  Consequence,
  PlainAction,
} from '../../plugins/objects/server/declare/behavior';
import type { FieldDeclaration } from '../../plugins/objects/server/declare/declaration';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { endAdoptionOf, retireClaimsOf } from '../../plugins/objects/server/write/claims';
import { contentKey } from '../asset/domain/content-key';
import { importKey } from './domain/computed-values';

/** What `external_id` is in Darwin Core. */
const TERM = 'catalogNumber';

/** The claim in the body of a create. Whoever has an account owns what it sends. */
export const claimField = {
  kind: 'text',
  input: 'create',
  minLength: 43,
  maxLength: 43,
  rejects: (text) => (hashOfSecret(text) === null ? 'claim' : null),
  written: { anonymous: 'all', moderator: [], administrator: [] },
  description:
    'Without a login: the claim, made by the client itself of 256 random bits, in base64url. The same create sent again within 30 days answers `API_RESPONSE_ENTITY_EXISTS` with the ID.',
} satisfies FieldDeclaration;

/** What the adopter of a report gets of the photographs that came with it. */
interface Brought {
  /** Those that become its own. */
  readonly owned: readonly string[];
  /** Its own photographs of the same bytes, by the IDs of those in whose place they come. */
  readonly replaced: ReadonlyMap<string, string>;
}

export const claimAction: PlainAction = {
  summary: 'Adopt a report that was sent without an account',
  body: {},
  refusals: [],
  reveals: true,
  *plan(encounter, _, context) {
    const { id: adopter } = context.caller;
    // Its answer was lost.
    if (encounter['owner'] === adopter) return {};
    const { replaced } = yield* broughtBy(encounter, context);
    const assets = ((encounter['assets'] ?? []) as string[]).map((id) => replaced.get(id) ?? id);
    const owned = { ...encounter, owner: adopter };
    const isUsed = yield* isTaken(importKey(owned), encounter);
    if (isUsed)
      context.notices.push(
        notice('EXTERNAL_ID_MOVED', { external_id: String(encounter['external_id']) }),
      );
    return {
      owner: adopter,
      assets: [...new Set(assets)],
      ...(isUsed ? withoutExternalId(encounter) : {}),
    };
  },
  *others(before, { owner }, context) {
    const { owned } = yield* broughtBy(before, context);
    return [{ type: 'asset', ids: owned, changed: { owner } }];
  },
};

/**
 * What the claim and those of its photographs permitted is over: the owner decides now. Where somebody else has said whose
 * it is, nobody can adopt it any more, whatever becomes of that owner; its sender reads it until the decision.
 */
export const endWithAdoption: Consequence = function* (
  { op, id, before, after },
  { now, dialect, caller },
) {
  if (op !== 'update' || !before || !after) return;
  if (before['owner'] !== null || after['owner'] === null) return;
  if (after['owner'] !== caller.id || caller.claims.length === 0) return yield* endAdoptionOf(id);
  const assets = [before, after].flatMap((one) => (one['assets'] ?? []) as string[]);
  yield* retireClaimsOf([id, ...assets, ...(yield* listBrought(id))], { now, dialect });
};

/** The photographs that were sent with a report. */
export function* listBrought(report: unknown): Work<readonly string[]> {
  const row = yield* askOne(
    sql`select brought from oms_claims where object = ${String(report)} and brought is not null`,
  );
  return row ? (JSON.parse(String(row[0])) as string[]) : [];
}

/** What was sent with the report and is still nobody's. Of equal photographs the adopter gets one. */
function* broughtBy(
  { id }: Body,
  { caller, dialect }: Pick<ActionContext, 'caller' | 'dialect'>,
): Work<Brought> {
  const among = (list: readonly unknown[]): Sql =>
    dialect.among(sql`select j.value from ${dialect.jsonItems(sql`${JSON.stringify(list)}`)}`);
  const brought = yield* listBrought(id);
  const unowned = yield* ask(
    sql`select document_id, sha_256 from assets
      where document_id ${among(brought)} and owner_id is null
      order by id${dialect.forUpdate('assets')}`,
  );
  const keyOf = (sha256: unknown): string | null => contentKey({ owner: caller.id, sha256 });
  const keys = unowned.map(([, sha256]) => keyOf(sha256));
  const own = yield* ask(
    sql`select content_key, document_id from assets where content_key ${among(keys)}
      order by id${dialect.forUpdate('assets')}`,
  );
  const byKey = new Map(own.map(([key, asset]) => [String(key), String(asset)]));
  const owned: string[] = [];
  const replaced = new Map<string, string>();
  for (const [asset, sha256] of unowned.map((row) => row.map(String))) {
    const key = String(keyOf(sha256));
    const equal = byKey.get(key);
    if (equal === undefined) {
      byKey.set(key, String(asset));
      owned.push(String(asset));
    } else replaced.set(String(asset), equal);
  }
  return { owned, replaced };
}

/** Whether another encounter has a key. */
function* isTaken(key: string | null, { id }: Body): Work<boolean> {
  if (key === null) return false;
  const holder = yield* askOne(
    sql`select 1 from encounters where import_key = ${key} and document_id <> ${String(id)}`,
  );
  return holder !== undefined;
}

/** An ID that another encounter of the adopter has is kept under its term (Darwin Core). */
function withoutExternalId({ external_id: externalId, verbatim }: Body): Body {
  const terms = (verbatim ?? {}) as Readonly<Record<string, string>>;
  const numbers = [terms[TERM], externalId].filter((one) => typeof one === 'string');
  return {
    external_id: null,
    verbatim: { ...terms, [TERM]: [...new Set(numbers)].join(' | ') },
  };
}
