/** Objects to which a caller is something, and, as far as that is possible, nothing else. */
import { randomBytes, randomUUID } from 'node:crypto';
import { changeSettings } from '#app/api/site-settings/setup';
import { service as itself, type Caller } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import type { Change } from '#app/plugins/objects/server/declare/objects';
import { actingFor, storeAccount } from '../../helpers/accounts';
import { authorizationOf } from '../../helpers/callers';
import { uuid } from '../../helpers/ids';
import type { Json } from '../../helpers/json';
import { hashOf, responseOf } from '../../helpers/people';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';

export interface Made {
  readonly id: string;
  /** The claim to it that the caller carries. */
  readonly claim?: string;
}

/** @param me the caller's ID, empty for who has none */
type Maker = (me: string) => Promise<Made>;

/** What somebody is to an org: a member, a manager, or who has asked to join. */
type Place = 'member' | 'manager' | 'applicant';

/** Whoever is nothing to the callers. */
export const OTHER = uuid(0xacc101);

/** Those who share what they own with the user. */
const VIEWED = uuid(0xacc102);
const EDITED = uuid(0xacc103);

/** Who has asked to join each org that is made here. */
export const APPLICANT = VIEWED;

/** A taxon whose animals are hidden. */
const HIDDEN = uuid(0xacc1d1);

/** An individual of the user, for calls that need another one beside their object. */
export const SECOND_INDIVIDUAL = uuid(0xacc1d0);

/** Makes objects of each type by what they are to the caller; empty for nothing. */
export type Standings = Readonly<Record<string, Readonly<Record<string, Maker>>>>;

const pathOf = (asset: string): string => `/api/v0/asset/${asset}/file`;

/** @param user the account of the role `user` */
export async function openStandings(world: World, user: string): Promise<Standings> {
  const { strapi } = world.service;
  const write = (change: Change, by: Caller = itself) => objectsOf(strapi).write(change, by);
  const caller = (id: string): Promise<Caller> => actingFor({ strapi }, id);

  const create = async (type: string, body: Json = {}, by: Caller = itself): Promise<Made> => ({
    id: (await write({ op: 'create', type, body }, by)).id,
  });
  const unapproved = async (body: Json): Promise<Made> => {
    const made = await create('encounter', body);
    await strapi.db
      .connection('encounters')
      .where({ document_id: made.id })
      .update({ state: 'pending' });
    return made;
  };
  const rejected = async (made: Made): Promise<Made> => {
    const change = { op: 'act', type: 'encounter', action: 'review', id: made.id } as const;
    await write({ ...change, body: { state: 'rejected' } });
    return made;
  };
  const upload = async (owner: string): Promise<Made> => {
    const request = uploadRequest(
      { bytes: await photograph(), fields: { owner } },
      authorizationOf('administrator'),
    );
    return { id: String(responseOf(await world.send(request))['id']) };
  };
  /** An asset that is shown by something. */
  const shown = async (show: (asset: string, owner: string) => Promise<unknown>): Promise<Made> => {
    const owner = (await person()).id;
    const made = await upload(owner);
    await show(made.id, owner);
    return made;
  };
  /** Its claim permits nothing else any more. */
  const adoptable = async (made: Made): Promise<Made> => {
    const { claim = '' } = await claimed(made);
    await strapi.db
      .connection('oms_claims')
      .where({ hash: hashOf(claim) })
      .update({ ends_at: 0, adopt_until: Date.now() + 60_000, brought: '[]' });
    return { ...made, claim };
  };
  /** Its claim reads it until strangers are told of it. */
  const waiting = async (made: Made): Promise<Made> => {
    const { claim = '' } = await claimed(made);
    await strapi.db
      .connection('oms_claims')
      .where({ hash: hashOf(claim) })
      .update({ ends_at: 0, reads_until: Date.now() + 60_000, brought: '[]' });
    return { ...made, claim };
  };
  const claimed = async ({ id }: Made): Promise<Made> => {
    const claim = randomBytes(32).toString('base64url');
    await strapi.db
      .connection('oms_claims')
      .insert({ hash: hashOf(claim), object: id, ends_at: null });
    return { id, claim };
  };
  const person = () => create('user', { name: 'Somebody', email: `${randomUUID()}@example.org` });
  const org = async (me: string, place: Place | null, owner = OTHER): Promise<Made> => {
    const made = await create('org', { name: `Org ${randomUUID()}`, owner });
    const act = async (by: string, action: string, body: Json = {}) =>
      write({ op: 'act', type: 'org', id: made.id, action, body }, await caller(by));
    await act(APPLICANT, 'join');
    if (place !== null) await act(me, 'join');
    if (place === 'member' || place === 'manager')
      await act(owner, 'member', { user: me, role: place });
    return made;
  };
  const named = async (me: string, place: Place): Promise<Json> => ({
    owner: OTHER,
    organizations: [(await org(me, place)).id],
  });
  const collaboration = async (
    from: string,
    to: string,
    state = 'pending',
    level = 'view',
  ): Promise<Made> => {
    const made = await create('collaboration', { user: to, level }, await caller(from));
    const change = { op: 'update', type: 'collaboration', id: made.id, body: { state } } as const;
    if (state !== 'pending') await write(change, await caller(to));
    return made;
  };

  for (const id of [OTHER, VIEWED, EDITED])
    await storeAccount(
      { strapi },
      { id, name: 'A person', email: `${id}@example.org`, role: 'user' },
    );
  await collaboration(VIEWED, user, 'accepted', 'view');
  await collaboration(EDITED, user, 'accepted', 'edit');

  await create('taxonomy', {
    id: HIDDEN,
    scientific_name: 'Diceros bicornis',
    location_privacy: 'obscured',
  });
  const untold = (body: Json): Promise<Made> => create('individual', { ...body, taxonomy: HIDDEN });
  await untold({ id: SECOND_INDIVIDUAL, owner: user });

  return {
    encounter: {
      '': () => unapproved({ owner: OTHER }),
      approved: () => create('encounter', { owner: OTHER }),
      own: (me) => unapproved({ owner: me }),
      resubmitter: async (me) => rejected(await create('encounter', { owner: me })),
      viewer: () => unapproved({ owner: VIEWED }),
      editor: () => unapproved({ owner: EDITED }),
      member: async (me) => unapproved(await named(me, 'member')),
      manager: async (me) => unapproved(await named(me, 'manager')),
      applicant: async (me) => unapproved(await named(me, 'applicant')),
      claimant: async () => claimed(await unapproved({ owner: null })),
      reporter: async () => waiting(await create('encounter', { location_privacy: 'private' })),
      adopter: async () => adoptable(await unapproved({ owner: null })),
    },
    individual: {
      '': () => untold({ owner: OTHER }),
      told: () => create('individual', { owner: OTHER }),
      own: (me) => untold({ owner: me }),
      viewer: () => untold({ owner: VIEWED }),
      editor: () => untold({ owner: EDITED }),
      member: async (me) => untold(await named(me, 'member')),
      manager: async (me) => untold(await named(me, 'manager')),
      witness: async (me) => {
        const { id } = await untold({ owner: OTHER });
        const seen = await unapproved({ owner: me === '' ? null : me, individual: id });
        return me === '' ? { ...(await claimed(seen)), id } : { id };
      },
    },
    asset: {
      '': () => upload(OTHER),
      own: upload,
      viewer: () => upload(VIEWED),
      editor: () => upload(EDITED),
      claimant: async () => claimed(await upload(OTHER)),
      referrer: () => shown((asset, owner) => create('encounter', { owner, assets: [asset] })),
      pictured: () =>
        shown((asset, owner) => create('individual', { owner, photo_id: pathOf(asset) })),
      face: () =>
        shown((asset, id) =>
          write({ op: 'update', type: 'user', id, body: { photo_id: pathOf(asset) } }),
        ),
      logo: () =>
        shown((asset, owner) =>
          create('org', { owner, name: `Org ${randomUUID()}`, logo_id: pathOf(asset) }),
        ),
      site: () => shown((asset) => changeSettings(strapi, { media: { banner: pathOf(asset) } })),
    },
    org: {
      '': () => org('', null),
      outsider: () => org('', null),
      applicant: (me) => org(me, 'applicant'),
      leaver: (me) => org(me, 'member'),
      own: (me) => org(me, 'manager'),
      owner: (me) => org('', null, me),
    },
    collaboration: {
      '': async () => collaboration((await person()).id, OTHER, 'declined'),
      open: async () => collaboration((await person()).id, OTHER),
      party: async (me) => collaboration(me, (await person()).id),
      asked: async (me) => collaboration((await person()).id, me, 'accepted'),
      decided: async (me) => collaboration(me, (await person()).id, 'declined'),
    },
    taxonomy: { '': () => create('taxonomy', { scientific_name: `Taxon ${randomUUID()}` }) },
    user: { '': person, own: (me) => Promise.resolve({ id: me }), other: person },
    site_settings: { '': () => Promise.resolve({ id: '' }) },
  };
}
