// @databases sqlite postgres
import { objectsOf } from '#app/plugins/objects/server';
import { service as itself } from '#app/core/caller';
import type { Headers } from '../helpers/history';
import { ACCOUNTS, authorizationOf, openToRoles } from '../helpers/callers';
import { uuid } from '../helpers/ids';
import type { Json } from '../helpers/json';
import { refusal, useMembers, type Member } from '../helpers/members';
import { bearer, keyOf, responseOf } from '../helpers/people';
import { play, runScenarios, type Fault } from '../helpers/scenario';
import { historyOf } from '../helpers/snapshot';
import { useSettings, useWorld } from '../helpers/world';
import { describeHomeCalls } from './review/home-calls';
import { describePageCalls } from './review/page-calls';
import { describePanelReviews } from './review/panel';

const world = useWorld({
  env: { LIMIT_READS: '0' },
  site: { review_encounters: true, anonymous_encounters: true },
});
const { as, done, newPerson, read } = useMembers(world);
const knex = () => world().service.strapi.db.connection;

const STATES = ['pending', 'approved', 'rejected'] as const;
type State = (typeof STATES)[number];

let [owner, collaborator, stranger] = [] as unknown as [Member, Member, Member];
/** Those who may come, by what they are to the encounter, with the header that tells who they are. */
const CALLERS = {
  administrator: () => authorizationOf('administrator'),
  moderator: () => authorizationOf('moderator'),
  owner: () => bearer(owner.secret),
  collaborator: () => bearer(collaborator.secret),
  stranger: () => bearer(stranger.secret),
  anonymous: () => ({}),
};
type Caller = keyof typeof CALLERS;
const everybody = Object.keys(CALLERS) as Caller[];

/** Who may set which state after which, as section 8 of the contract has it. */
const OPEN: Readonly<Partial<Record<Caller, Readonly<Record<State, readonly State[]>>>>> = {
  administrator: {
    pending: ['approved', 'rejected'],
    approved: ['rejected'],
    rejected: ['approved'],
  },
  // Who has made the review, and may take it back.
  moderator: {
    pending: ['approved', 'rejected'],
    approved: ['rejected', 'pending'],
    rejected: ['approved', 'pending'],
  },
  owner: { pending: [], approved: [], rejected: ['pending'] },
};

const REFUSED = { 401: 'LOGIN_REQUIRED', 402: 'ENTITY_NOT_FOUND', 403: 'NOT_PERMITTED' } as const;
/** How those are refused who may not review it. */
function refused(caller: Caller, present: State): keyof typeof REFUSED {
  if (caller === 'anonymous') return 401;
  return caller === 'stranger' && present !== 'approved' ? 402 : 403;
}

const review = (id: string, body: Json, headers: Headers = authorizationOf('moderator')) =>
  world().send({
    method: 'POST',
    url: `/api/v0/encounter/${id}/review`,
    headers,
    body,
  });

/** An encounter of the owner in this state. */
async function encounterIn(state: State, body: Json = {}): Promise<string> {
  const id = String(responseOf(await as(owner, 'POST', 'encounter', body))['id']);
  if (state !== 'pending') await review(id, { state });
  return id;
}

const stateOf = async (id: string): Promise<unknown> =>
  (await read('moderator', `encounter/${id}`))['state'];

beforeAll(async () => {
  await openToRoles(world().service);
  [owner, collaborator, stranger] = [await newPerson(), await newPerson(), await newPerson()];
  const asked = await as(owner, 'POST', 'collaboration', { user: collaborator.id, level: 'edit' });
  const one = String(responseOf(asked)['id']);
  await as(collaborator, 'PUT', `collaboration/${one}`, { state: 'accepted' });
});

describe.each(everybody)('a review by the %s', (caller) => {
  const cases = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));

  test.each(cases)('from %s to %s', async (from, to) => {
    const id = await encounterIn(from);
    const open = OPEN[caller]?.[from];
    const status = open === undefined ? refused(caller, from) : open.includes(to) ? 200 : 409;
    const version = from === 'pending' ? 1 : 2;
    await play(world(), {
      name: `${caller}: ${from} to ${to}`,
      method: 'POST',
      url: `/api/v0/encounter/${id}/review`,
      headers: CALLERS[caller](),
      body: { state: to },
      expect:
        status === 200
          ? { status, response: { id, version: version + 1 } }
          : status === 409
            ? { status, key: 'STATE_CONFLICT', args: { state: from } }
            : { status, key: REFUSED[status] },
    });
    expect(await stateOf(id)).toBe(status === 200 ? to : from);
  });

  test.each(STATES)('is told of in `permissions` where one is open: %s', async (state) => {
    const id = await encounterIn(state);
    const url = `/api/v0/encounter/${id}`;
    const answer = await world().send({ method: 'GET', url, headers: CALLERS[caller]() });
    if (state !== 'approved' && (caller === 'stranger' || caller === 'anonymous')) {
      expect(answer.status).toBe(402);
      return;
    }
    const isOpen = (OPEN[caller]?.[state].length ?? 0) > 0;
    expect((responseOf(answer)['permissions'] as string[]).includes('review')).toBe(isOpen);
  });
});

test('a moderator who owns an encounter may do what either may', async () => {
  const id = await encounterIn('rejected');
  await as('moderator', 'PUT', `encounter/${id}`, { owner: ACCOUNTS.moderator });
  expect((await review(id, { state: 'pending' })).status).toBe(200);
  expect((await review(id, { state: 'pending' })).status).toBe(409);
  expect((await review(id, { state: 'approved' })).status).toBe(200);
});

describe('the note of a review', () => {
  const note = async (id: string) => (await read(owner, `encounter/${id}`))['review_note'];

  test('is the moderator’s, who replaces or clears it, and is kept by the owner', async () => {
    const id = await encounterIn('pending');
    await review(id, { state: 'rejected', review_note: ' Which of the two?\r\n ' });
    expect(await note(id)).toBe('Which of the two?');
    await review(id, { state: 'pending' }, bearer(owner.secret));
    expect(await note(id)).toBe('Which of the two?');
    await review(id, { state: 'rejected', review_note: 'Still unclear.' });
    await review(id, { state: 'pending', review_note: 'The left one.' }, bearer(owner.secret));
    expect(await note(id)).toBe('The left one.');
    await review(id, { state: 'approved' });
    expect(await note(id)).toBeNull();
    await review(id, { state: 'rejected', review_note: 'a'.repeat(2000) });
    expect(await note(id)).toHaveLength(2000);
    await review(id, { state: 'approved', review_note: null });
    expect(await note(id)).toBeNull();
  });

  test('is read by owner and moderators alone', async () => {
    const id = await encounterIn('approved');
    await review(id, { state: 'rejected', review_note: 'secret' });
    await review(id, { state: 'approved', review_note: 'secret' });
    expect(await read('moderator', `encounter/${id}`)).toMatchObject({ review_note: 'secret' });
    for (const who of [stranger, collaborator, null])
      expect(await read(who, `encounter/${id}`)).not.toHaveProperty('review_note');
  });
});

describe('a review that is malformed', () => {
  let id = '';
  beforeAll(async () => {
    id = await encounterIn('pending');
  });
  const cases: [string, Json, Fault[]][] = [
    ['of nothing', {}, [['state', 'REQUIRED']]],
    ['of null', { state: null }, [['state', 'REQUIRED']]],
    ['of a state that is none', { state: 'Approved' }, [['state', 'NOT_ONE_OF']]],
    [
      'of more than a review',
      { state: 1, review_note: 5, remarks: 'x' },
      [
        ['state', 'NOT_ONE_OF'],
        ['review_note', 'TYPE'],
        ['remarks', 'UNKNOWN'],
      ],
    ],
    [
      'with a note that is too long',
      { state: 'approved', review_note: 'a'.repeat(2001) },
      [['review_note', 'TOO_LONG', { max: 2000 }]],
    ],
  ];
  test.each(cases)('%s', async (name, body, invalid) => {
    await play(world(), {
      name,
      method: 'POST',
      url: `/api/v0/encounter/${id}/review`,
      headers: authorizationOf('moderator'),
      body,
      expect: { status: 400, key: 'MALFORMED', invalid },
    });
  });

  runScenarios(world, [
    {
      name: 'of nothing that exists is 402 before that',
      as: 'moderator',
      method: 'POST',
      url: `/api/v0/encounter/${uuid(0xdead)}/review`,
      body: { state: 'maybe' },
      expect: { status: 402, key: 'ENTITY_NOT_FOUND' },
    },
  ]);

  test.each([
    ['state', 'approved'],
    ['review_note', 'x'],
  ])('and an update is none: %s', async (field, value) => {
    for (const who of [owner, 'moderator'] as const)
      expect(await done(as(who, 'PUT', `encounter/${id}`, { [field]: value }))).toEqual(
        refusal(400, 'MALFORMED'),
      );
  });
});

describe('a review of a version', () => {
  const versioned = (id: string, state: State, ifMatch: string) =>
    review(id, { state }, { ...authorizationOf('moderator'), 'If-Match': ifMatch });

  test('is refused once it has moved on', async () => {
    const id = await encounterIn('pending');
    await as(owner, 'PUT', `encounter/${id}`, { remarks: 'two' });
    const late = await versioned(id, 'approved', '"1"');
    expect([late.status, keyOf(late)]).toEqual(refusal(412, 'VERSION_MISMATCH'));
    expect((await versioned(id, 'approved', '"2"')).status).toBe(200);
  });

  test('by two moderators at once has one outcome, of which the other is told', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await encounterIn('pending');
      const answers = await Promise.all([
        versioned(id, 'approved', '"1"'),
        versioned(id, 'rejected', '"1"'),
      ]);
      const statuses = answers.map(({ status }) => status);
      expect([...statuses].sort()).toEqual([200, 412]);
      expect(await stateOf(id)).toBe(statuses[0] === 200 ? 'approved' : 'rejected');
      const actions = (await historyOf(world().service, id)).map(({ action }) => action);
      expect(actions).toEqual(['create', 'review']);
    }
  });
});

describe('a moderator takes the own last review back', () => {
  test('with the note that stood before it, which is told as a review', async () => {
    const id = await encounterIn('pending');
    await review(id, { state: 'rejected', review_note: 'Blurred.' });
    await review(id, { state: 'pending' }, bearer(owner.secret));
    await review(id, { state: 'approved', review_note: 'Sharp after all.' });
    expect((await review(id, { state: 'pending' })).status).toBe(200);
    expect(await read(owner, `encounter/${id}`)).toMatchObject({
      ...{ state: 'pending', review_note: 'Blurred.', version: 5 },
    });
    expect((await historyOf(world().service, id)).at(-1)).toMatchObject({
      ...{ action: 'review', version: 5, actor_id: ACCOUNTS.moderator },
    });
    expect((await review(id, { state: 'approved' })).status).toBe(200);
  });

  test('as long as nothing else has changed', async () => {
    const id = await encounterIn('approved');
    await as(owner, 'PUT', `encounter/${id}`, { remarks: 'two' });
    expect(await done(review(id, { state: 'pending' }))).toEqual(refusal(412, 'VERSION_MISMATCH'));
    expect(await stateOf(id)).toBe('approved');
  });

  test('and not over that of somebody else', async () => {
    const id = await encounterIn('approved');
    await review(id, { state: 'rejected' }, authorizationOf('administrator'));
    expect(await done(review(id, { state: 'pending' }))).toEqual(refusal(412, 'VERSION_MISMATCH'));
    expect(await stateOf(id)).toBe('rejected');
  });

  test('with what was edited beside it, in one batch', async () => {
    const id = await encounterIn('pending', { remarks: 'two' });
    const batch = (operations: readonly Json[]) => as('moderator', 'POST', 'batch', { operations });
    const update = (remarks: string, ifMatch?: string): Json => ({
      ...{ op: 'update', type: 'encounter', id, body: { remarks } },
      ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
    });
    const set = (state: State, ifMatch?: string): Json => ({
      ...{ op: 'review', type: 'encounter', id, body: { state } },
      ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
    });
    expect((await batch([update('three', '"1"'), set('approved')])).status).toBe(200);
    expect((await batch([set('pending', '"2"'), update('two')])).status).toBe(400);
    expect((await batch([set('pending', '"3"'), update('two')])).status).toBe(200);
    expect(await read('moderator', `encounter/${id}`)).toMatchObject({
      ...{ state: 'pending', remarks: 'two', version: 5 },
    });
  });
});

describe('what follows from a review', () => {
  const figures = async (who: Member | null | 'moderator', id: string) => {
    const { encounter_count, first_seen, last_seen } = await read(who, `individual/${id}`);
    return [encounter_count, first_seen, last_seen];
  };
  /** What is kept of encounters, and the same after all of it has been computed anew. */
  async function keptBeforeAndAfterRebuild(): Promise<[unknown, unknown]> {
    const all = async () => [
      await knex()('individuals').select('*').orderBy('id'),
      await knex()('oms_generalized').select('*').orderBy('encounter'),
    ];
    const before = await all();
    await objectsOf(world().service.strapi).rebuild();
    return [before, await all()];
  }

  test('is who reads it, and what of it, and the figures of its individual', async () => {
    const { id: individual } = responseOf(await as(owner, 'POST', 'individual', {}));
    const animal = String(individual);
    const body = { individual: animal, time: '2021-06-03' };
    const id = await encounterIn('pending', body);
    const strangers = [stranger, null] as const;
    const expectHidden = async () => {
      for (const who of strangers) {
        expect(await done(as(who, 'GET', `encounter/${id}`))).toEqual(
          refusal(402, 'ENTITY_NOT_FOUND'),
        );
        expect(await figures(who, animal)).toEqual([0, null, null]);
      }
      expect((await read(null, `user/${owner.id}`))['encounters']).not.toContain(id);
      expect(await figures('moderator', animal)).toEqual([1, '2021-06-03', '2021-06-03']);
      const [before, after] = await keptBeforeAndAfterRebuild();
      expect(before).toEqual(after);
    };
    const expectShown = async () => {
      for (const who of strangers) {
        expect(await read(who, `encounter/${id}`)).toMatchObject({
          state: 'approved',
          time: '2021-06-03',
          generalized: null,
        });
        expect(await figures(who, animal)).toEqual([1, '2021-06-03', '2021-06-03']);
      }
      expect((await read(null, `user/${owner.id}`))['encounters']).toContain(id);
      const [before, after] = await keptBeforeAndAfterRebuild();
      expect(before).toEqual(after);
    };
    await expectHidden();
    await review(id, { state: 'approved' });
    await expectShown();
    await review(id, { state: 'rejected' });
    await expectHidden();
    await review(id, { state: 'pending' }, bearer(owner.secret));
    await expectHidden();
    await review(id, { state: 'approved' });
    await expectShown();
    expect(await read(owner, `individual/${animal}`)).toMatchObject({ version: 1 });
  });

  test('is an entry of the history that names who did it', async () => {
    const id = await encounterIn('pending');
    await review(id, { state: 'rejected', review_note: 'Blurred.' });
    await review(id, { state: 'pending' }, bearer(owner.secret));
    const entries = await historyOf(world().service, id);
    expect(entries.slice(1)).toMatchObject([
      {
        ...{ action: 'review', version: 2, actor_id: ACCOUNTS.moderator, actor_kind: 'user' },
        changes: [
          { path: 'state', before: 'pending', after: 'rejected' },
          { path: 'review_note', before: null, after: 'Blurred.' },
        ],
      },
      {
        ...{ action: 'review', version: 3, actor_id: owner.id },
        changes: [{ path: 'state', before: 'rejected', after: 'pending' }],
      },
    ]);
    const { history } = await read(owner, `encounter/${id}/history`);
    expect((history as Json[]).map(({ action }) => action)).toEqual(['review', 'review', 'create']);
  });

  test('is that the claim to a report without a login has ended, for good', async () => {
    const { id, claim } = responseOf(await as(null, 'POST', 'encounter', {}));
    const url = `/api/v0/encounter/${String(id)}`;
    const headers = { 'X-Claim': String(claim) };
    const status = async () => (await world().send({ method: 'GET', url, headers })).status;
    expect(await status()).toBe(200);
    await as('moderator', 'PUT', `encounter/${String(id)}`, { owner: owner.id });
    expect(await status()).toBe(200);
    await review(String(id), { state: 'rejected' });
    expect(await status()).toBe(402);
    await review(String(id), { state: 'pending' }, bearer(owner.secret));
    expect(await status()).toBe(402);
  });
});

describe('reviews in the panel', () => describePanelReviews(world, encounterIn));

describe('the calls of the panel’s own pages', () => describePageCalls(world, encounterIn));

describe('the calls of the panel’s first page', () => describeHomeCalls(world, encounterIn));

describe('the state of an encounter', () => {
  test('is pending where the site asks for a review, whoever makes it', async () => {
    const made = [
      responseOf(await as(owner, 'POST', 'encounter', {})),
      responseOf(await as('moderator', 'POST', 'encounter', {})),
      responseOf(await as(null, 'POST', 'encounter', {})),
      await objectsOf(world().service.strapi).write(
        { op: 'create', type: 'encounter', body: {} },
        itself,
      ),
    ];
    for (const { id } of made) expect(await stateOf(String(id))).toBe('pending');
  });

  test('stays when its owner changes what was approved', async () => {
    const id = await encounterIn('approved');
    expect((await as(owner, 'PUT', `encounter/${id}`, { remarks: 'later' })).status).toBe(200);
    expect(await stateOf(id)).toBe('approved');
  });

  describe('where the site asks for none', () => {
    useSettings(world, { review_encounters: false });

    test('is approved, and may be reviewed', async () => {
      const id = await encounterIn('pending');
      expect(await stateOf(id)).toBe('approved');
      expect((await review(id, { state: 'rejected' })).status).toBe(200);
      expect(await done(as(stranger, 'GET', `encounter/${id}`))).toEqual(
        refusal(402, 'ENTITY_NOT_FOUND'),
      );
    });
  });
});
