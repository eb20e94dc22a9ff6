/** Makes the calls of the table of permissions, and compares what is answered. */
import { randomUUID } from 'node:crypto';
import { registryOf } from '#app/plugins/objects/server';
import { toldActions } from '#app/plugins/objects/server/read/model';
import type { SiteSettings } from '#app/plugins/objects/server/site/settings';
import type { SwitchName } from '#app/plugins/objects/server/site/switches';
import { wireOf } from '#app/plugins/wire/server';
import type { AnyOperation } from '#app/endpoints/operations';
import { ACCOUNTS, authorizationOf, openToRoles } from '../../helpers/callers';
import type { Answer, Request } from '../../helpers/http';
import type { Json } from '../../helpers/json';
import { keyOf, responseOf, withSite } from '../../helpers/people';
import { expectUnchanged, snapshot } from '../../helpers/snapshot';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';
import {
  APPLICANT,
  openStandings,
  OTHER,
  SECOND_INDIVIDUAL,
  type Made,
  type Standings,
} from './standings';
import { missingCells, parseColumn, ROWS, type CallerRow } from './table';

/** A body with which a call succeeds, of those that need one. */
const BODIES: Readonly<Record<string, (standing: string) => Json>> = {
  'encounter create': () => ({}),
  'encounter update': () => ({ remarks: 'x' }),
  'encounter claim': () => ({}),
  'encounter review': (standing) => ({
    'encounter claim': () => ({}),
    state: standing === 'resubmitter' ? 'pending' : 'rejected',
  }),
  'individual create': () => ({}),
  'individual update': () => ({ remarks: 'x' }),
  'individual merge': () => ({ from: [SECOND_INDIVIDUAL], dry_run: true }),
  'asset update': () => ({ license: 'CC0-1.0' }),
  'org create': () => ({ name: `Org ${randomUUID()}` }),
  'org update': () => ({ description: 'x' }),
  'org join': () => ({}),
  'org leave': () => ({}),
  'org member': () => ({ user: APPLICANT, role: 'member' }),
  'collaboration create': () => ({ user: OTHER, level: 'view' }),
  'collaboration update': () => ({ state: 'ended' }),
  'taxonomy create': () => ({ scientific_name: `Taxon ${randomUUID()}` }),
  'taxonomy update': () => ({ authorship: 'x' }),
  'user create': () => ({
    name: 'Somebody',
    email: `${randomUUID()}@example.org`,
    password: 'a meadow at night',
  }),
  'user update': () => ({ affiliation: 'x' }),
  'site_settings update': () => ({ tagline: { en: 'x' } }),
};

/** The settings by which switches are on and off. */
const SETTINGS: Readonly<Record<SwitchName, (isOn: boolean) => Partial<SiteSettings>>> = {
  open: (isOn) => ({ readers: isOn ? 'anyone' : 'users' }),
  reports: (isOn) => ({ anonymousEncounters: isOn }),
  registration: (isOn) => ({ registrationOpen: isOn }),
  owners: (isOn) => ({ showOwnerWhenHidden: isOn }),
};

/** The keys that go with statuses; an outcome is a status with its key, or a word. */
const KEYS: Readonly<Record<string, string | undefined>> = {
  200: undefined,
  401: 'API_RESPONSE_LOGIN_REQUIRED',
  402: 'API_RESPONSE_ENTITY_NOT_FOUND',
  403: 'API_RESPONSE_NOT_PERMITTED',
  409: 'API_RESPONSE_STATE_CONFLICT',
};

export function describeCells(world: () => World): void {
  let standings: Standings = {};
  beforeAll(async () => {
    await openToRoles(world().service);
    standings = await openStandings(world(), ACCOUNTS.user);
  });

  test('has every cell that the declarations ask for', () => {
    const { strapi } = world().service;
    const calls = new Set(
      wireOf(strapi)
        .routes()
        .map(({ config }) => config.operation as AnyOperation)
        .flatMap((operation) => ('type' in operation ? [nameOf(operation)] : [])),
    );
    const hasCall = (type: string, action: string): boolean => calls.has(`${type} ${action}`);
    expect(missingCells(registryOf(strapi).model().resources, hasCall)).toEqual([]);
  });

  test.each(ROWS.map((row) => [titleOf(row), row] as const))('%s', async (_, row) => {
    const found = new Map<string, string>();
    const permissions = toldBy(world(), row);
    const made = new Reused(() => makeFor(standings, row));
    for (const column of row.outcomes.keys()) {
      const { action, turned } = parseColumn(column);
      const setting = turned === null ? {} : SETTINGS[turned.name](turned.isOn);
      await withSite(world().service, setting, async () => {
        const answer = await carryOut(world(), row, action, await made.take(action));
        found.set(column, outcomeOf(action, answer));
        if (column === 'read' && answer.status === 200)
          expect(responseOf(answer)['permissions']).toEqual(permissions);
        if (answer.status === 200) made.spend(action);
      });
    }
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(row.outcomes));
  });
}

const titleOf = ({ type, role, standing }: CallerRow): string =>
  `${type} by ${role}${standing === '' ? '' : `, ${standing}`}`;

/** The name of a call in the table: the bytes of an object are where its original is. */
const nameOf = (operation: Extract<AnyOperation, { type: string }>): string => {
  if (operation.kind === 'file') return `${operation.type} original`;
  return `${operation.type} ${operation.kind === 'act' ? operation.action : operation.kind}`;
};

/** What `permissions` of the object lists: those of its actions that succeed. */
function toldBy({ service }: World, { type, outcomes }: CallerRow): string[] {
  const resource = registryOf(service.strapi).model().type(type).resource;
  return toldActions(resource).filter((action) => outcomes.get(action) === '200');
}

function makeFor(standings: Standings, { type, role, standing }: CallerRow): Promise<Made> {
  const make = standings[type]?.[standing];
  if (!make) throw new Error(`nothing makes an object of ${type} for its "${standing}"`);
  return make(role === 'anonymous' ? '' : ACCOUNTS[role]);
}

/** An object that serves for as many calls as leave it as it is. */
class Reused {
  private made: Made | null = null;

  constructor(private readonly make: () => Promise<Made>) {}

  async take(action: string): Promise<Made> {
    if (action === 'create') return { id: '' };
    return (this.made ??= await this.make());
  }

  /** After a call that was carried out. */
  spend(action: string): void {
    if (!['create', 'read', 'history', 'original'].includes(action)) this.made = null;
  }
}

/** A refusal writes nothing. */
async function carryOut(
  world: World,
  { type, role, standing }: CallerRow,
  action: string,
  { id, claim }: Made,
): Promise<Answer> {
  const headers = {
    ...authorizationOf(role),
    ...(claim === undefined ? {} : { 'X-Claim': claim }),
  };
  const request = await requestOf(type, action, id, standing);
  const before = await snapshot(world.service);
  const answer = await world.send({ ...request, headers: { ...headers, ...request.headers } });
  if (answer.status !== 200) await expectUnchanged(world.service, before);
  return answer;
}

async function requestOf(
  type: string,
  action: string,
  id: string,
  standing: string,
): Promise<Request> {
  if (type === 'asset' && action === 'create') return uploadRequest({ bytes: await photograph() });
  const one = id === '' ? `/api/v0/${type}` : `/api/v0/${type}/${id}`;
  const reads: Readonly<Record<string, string>> = {
    read: one,
    history: `${one}/history`,
    original: `${one}/file`,
  };
  const url = reads[action];
  if (url !== undefined) return { method: 'GET', url };
  if (action === 'delete') return { method: 'DELETE', url: one };
  const make = BODIES[`${type} ${action}`];
  if (!make) throw new Error(`no body for the call "${action}" of ${type}`);
  const body = make(standing);
  if (action === 'create') return { method: 'POST', url: one, body };
  if (action === 'update') return { method: 'PUT', url: one, body };
  return { method: 'POST', url: `${one}/${action}`, body };
}

/** What is answered, in the words of the table. */
function outcomeOf(action: string, answer: Answer): string {
  const { status, headers } = answer;
  const key = status === 200 ? undefined : keyOf(answer);
  if (key === 'API_RESPONSE_REGISTRATION_CLOSED') return 'closed';
  if (action === 'original' && headers['content-type'] === 'image/webp') return 'webp';
  return KEYS[status] === key ? String(status) : `${status} ${String(key)}`;
}
