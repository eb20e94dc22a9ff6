/** Animals whose places are not for everybody, and what everybody is told of one. */
import type { Service } from '../../src/boot/boot';
import type { Caller } from '../../src/core/caller';
import { objectsOf } from '../../src/plugins/objects/server';
import type { Body } from '../../src/plugins/objects/server/declare/objects';
import type { DemoAccount, DemoAccounts } from './accounts';
import { PACKAGES } from './records';

const ELEPHANT = 'Loxodonta africana';

/** What is asked of the elephant: where and when it was, and whether that is generalized. */
const FIELDS = [
  'latitude',
  'longitude',
  'coordinate_uncertainty',
  'location_id',
  'time',
  'locality',
  'generalized',
] as const;

/** One elephant, as two callers are given it. */
export interface Elephant {
  readonly path: string;
  readonly owner: DemoAccount;
  /** What its owner reads. */
  readonly exact: Body;
  /** What is answered without an account: the object, or the status and key of the refusal. */
  readonly anonymous: Body | string;
}

/** The moderator obscures the taxon of the elephants, unless it has been changed. */
export async function obscureElephants({ strapi }: Service, moderator: Caller): Promise<void> {
  const taxon = await strapi
    .documents('api::taxonomy.taxonomy')
    .findFirst({ filters: { scientificName: ELEPHANT } });
  if (taxon?.version !== 1) return;
  const body = { location_privacy: 'obscured' };
  await objectsOf(strapi).write(
    { op: 'update', type: 'taxonomy', id: taxon.documentId, body },
    moderator,
  );
}

/** Reads an elephant as its owner, and asks for it over HTTP without an account. Null while there is none. */
export async function readElephant(
  { strapi, url: origin }: Service,
  accounts: DemoAccounts,
): Promise<Elephant | null> {
  const { source, owner: name } = PACKAGES.serengeti;
  const owner = accounts[name];
  const found = await strapi.documents('api::encounter.encounter').findFirst({
    filters: {
      source,
      owner: { documentId: owner.id },
      taxonomy: { scientificName: ELEPHANT },
    },
    sort: 'timeStart:desc',
  });
  if (!found) return null;
  const { documentId: id } = found;
  const path = `/api/v0/encounter/${id}?fields=${FIELDS.join()}`;
  const { text } = await objectsOf(strapi).read('encounter', id, owner.caller, { fields: FIELDS });
  return {
    path,
    owner,
    exact: JSON.parse(text) as Body,
    anonymous: await ask(`${origin}${path}`),
  };
}

async function ask(url: string): Promise<Body | string> {
  const answer = await fetch(url);
  const { response, message } = (await answer.json()) as {
    readonly response: Body;
    readonly message?: { readonly key: string };
  };
  return answer.ok ? response : `${answer.status} ${message?.key ?? ''}`;
}

/** A table of both readings, and how to repeat them. */
export function elephantText(elephant: Elephant | null, origin: string): string {
  if (elephant === null) return '';
  const { path, owner } = elephant;
  return `
Where rare animals are is not for everybody (docs/privacy.md). What is told of an elephant of ${owner.email}:

${table(elephant).join('\n')}

  elephant='${origin}${path}'
  curl "$elephant"

  login='{"username": "${owner.email}", "password": "${owner.password ?? '...'}"}'
  cookie=$(curl -s ${origin}/api/v0/login -H 'Content-Type: application/json' -d "$login" | sed 's/.*"cookie":"\\([^"]*\\)".*/\\1/')
  curl "$elephant" -H "Authorization: Bearer $cookie"
`;
}

function table({ exact, anonymous }: Elephant): string[] {
  const isRefused = typeof anonymous === 'string';
  const lines = FIELDS.map((field) => [
    field,
    shown(exact[field]),
    isRefused ? '' : shown(anonymous[field]),
  ]);
  const heading = ['', 'to its owner', `without an account${isRefused ? `: ${anonymous}` : ''}`];
  return [heading, ...lines].map(([field = '', own = '', other = '']) =>
    `  ${field.padEnd(26)}${own.padEnd(30)}${other}`.trimEnd(),
  );
}

/** JSON, but for what the answer does not have. */
const shown = (value: unknown): string =>
  value === undefined ? '(absent)' : JSON.stringify(value);
