import { randomBytes, randomUUID } from 'node:crypto';
import { assetsOf } from '#app/plugins/assets/server';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import type { Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import { useMembers, type Member } from '../../helpers/members';
import { bearer, hashOf, keyOf, responseOf } from '../../helpers/people';
import { historyOf } from '../../helpers/snapshot';
import { photograph, uploadRequest } from '../../helpers/upload';
import { useSettings, type World } from '../../helpers/world';

const DAY = 86_400_000;
const STATES = ['pending', 'approved', 'rejected'] as const;

/** Reports without an account and their claims, in a shared service that takes them. */
export function describeClaims(world: () => World): void {
  const { as, newPerson, read } = useMembers(world);
  const knex = () => world().service.strapi.db.connection;
  useSettings(world, { review_encounters: true });

  let [adopter, other] = [] as unknown as [Member, Member];
  beforeAll(async () => {
    await openToRoles(world().service);
    [adopter, other] = [await newPerson(), await newPerson()];
  });

  const newClaim = (): string => randomBytes(32).toString('base64url');
  const upload = (fields: Json, bytes?: Buffer, headers = {}): Promise<Answer> =>
    (async () =>
      world().send(uploadRequest({ bytes: bytes ?? (await photograph()), fields }, headers)))();
  const report = (body: Json, headers = {}): Promise<Answer> =>
    world().send({ method: 'POST', url: '/api/v0/encounter', body, headers });
  const adopt = (id: string, claim: string | null, who: Member | null = adopter): Promise<Answer> =>
    world().send({
      method: 'POST',
      url: `/api/v0/encounter/${id}/claim`,
      body: {},
      headers: {
        ...(claim === null ? {} : { 'X-Claim': claim }),
        ...(who === null ? {} : bearer(who.secret)),
      },
    });
  const decide = async (id: string, state: string): Promise<void> => {
    if (state !== 'pending')
      expect((await as('moderator', 'POST', `encounter/${id}/review`, { state })).status).toBe(200);
  };
  const erase = ({ id }: Member): Promise<Answer> =>
    world().send({
      method: 'DELETE',
      url: `/api/v0/user/${id}`,
      headers: authorizationOf('administrator'),
    });
  const faults = (answer: Answer): Json =>
    Object.fromEntries(
      (at(parsed(answer.text), 'response', 'invalid') as Json[]).map(({ path, key }) => [
        String(path),
        key,
      ]),
    );

  interface Report {
    readonly id: string;
    readonly claim: string;
    readonly assets: readonly string[];
    readonly claims: readonly string[];
    readonly body: Json;
  }

  /** A report with photographs of these bytes. */
  async function newReport(body: Json = {}, photographs: readonly Buffer[] = []): Promise<Report> {
    const claims = photographs.map(newClaim);
    const assets: string[] = [];
    for (const [n, bytes] of photographs.entries())
      assets.push(String(responseOf(await upload({ claim: claims[n] }, bytes))['id']));
    const claim = newClaim();
    const whole = { ...body, assets, claim, ...(claims.length > 0 ? { claims } : {}) };
    const made = responseOf(await report(whole));
    expect(made).toEqual({ id: expect.any(String) as unknown, claim });
    return { id: String(made['id']), claim, assets, claims, body: whole };
  }

  const exists = (type: string, id: string): Json => ({
    key: 'API_RESPONSE_ENTITY_EXISTS',
    args: { type, path: 'claim', id },
  });
  const messageOf = ({ text }: Answer): unknown => at(parsed(text), 'message');

  describe('where no review is asked for', () => {
    useSettings(world, { review_encounters: false });

    test('a report and its photographs have no claim that permits anything but to adopt it', async () => {
      const { id, claim, assets, claims } = await newReport({}, [await photograph()]);
      const carried = { 'X-Claim': String(claims[0]) };
      const url = `/api/v0/asset/${String(assets[0])}`;
      const removed = await world().send({ method: 'DELETE', url, headers: carried });
      expect(removed.status).not.toBe(200);
      const ends = await knex()('oms_claims')
        .whereIn('object', [id, ...assets])
        .pluck('ends_at');
      expect(ends).toHaveLength(2);
      for (const end of ends) expect(Number(end)).toBeLessThanOrEqual(Date.now());
      expect((await adopt(id, claim)).status).toBe(200);
    });
  });

  describe('a create that is sent again with its own claim', () => {
    test('answers the ID of what it made, whatever has become of it', async () => {
      const { id, body, claims, assets } = await newReport({ remarks: 'once' }, [
        await photograph(),
      ]);
      const again = async (): Promise<unknown[]> => [
        messageOf(await upload({ claim: claims[0] })),
        messageOf(await report(body)),
      ];
      const known = [exists('asset', String(assets[0])), exists('encounter', id)];
      expect(await again()).toEqual(known);
      await decide(id, 'rejected');
      expect(await again()).toEqual(known);
      expect((await adopt(id, String(body['claim']))).status).toBe(200);
      expect(await again()).toEqual(known);
      expect((await as(adopter, 'DELETE', `encounter/${id}`)).status).toBe(200);
      expect(await again()).toEqual(known);
      expect(await knex()('encounters').where({ remarks: 'once' })).toEqual([]);
    });

    test('is refused when it is too old to be known, and makes nothing', async () => {
      const { body } = await newReport({ remarks: 'long ago' });
      await knex()('oms_claims')
        .where({ hash: hashOf(String(body['claim'])) })
        .update({ known_until: Date.now() - 1 });
      const again = await report({ ...body, remarks: 'later' });
      expect([again.status, faults(again)]).toEqual([400, { claim: 'API_RESPONSE_TAKEN' }]);
      expect(await knex()('encounters').where({ remarks: 'later' })).toEqual([]);
    });

    test('makes one object, also when it arrives several times at once', async () => {
      const [claim, remarks, bytes] = [newClaim(), randomUUID(), await photograph()];
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => report({ claim, remarks })),
      );
      const uploads = await Promise.all(
        [1, 2, 3].map(() => upload({ claim: hashOf(claim).slice(0, 43) }, bytes)),
      );
      for (const some of [answers, uploads]) {
        const ids = some.map(
          (answer) => responseOf(answer)['id'] ?? at(messageOf(answer), 'args', 'id'),
        );
        expect(new Set(ids).size).toBe(1);
        expect(some.filter(({ status }) => status === 200)).toHaveLength(1);
      }
      expect(await knex()('encounters').where({ remarks })).toHaveLength(1);
    });

    test('is known for 30 days, over which its rights do not last', async () => {
      const { id, claim, body } = await newReport();
      await decide(id, 'rejected');
      const row = () =>
        knex()('oms_claims')
          .where({ hash: hashOf(claim) })
          .first<Json>();
      expect(Math.abs(Number((await row())['known_until']) - Date.now() - 30 * DAY)).toBeLessThan(
        60_000,
      );
      await assetsOf(world().service.strapi).sweep();
      expect((await report(body)).status).toBe(400);
      await knex()('oms_claims')
        .where({ hash: hashOf(claim) })
        .update({ known_until: Date.now() - 1 });
      await assetsOf(world().service.strapi).sweep();
      expect(await row()).toBeUndefined();
      expect((await report(body)).status).toBe(200);
    });

    test('is a new one after an upload that nobody used was given up', async () => {
      const [claim, bytes] = [newClaim(), await photograph()];
      await upload({ claim }, bytes);
      await assetsOf(world().service.strapi).sweep();
      await assetsOf(world().service.strapi).sweep(Date.now() + 8 * DAY);
      expect((await upload({ claim }, bytes)).status).toBe(200);
    });

    test('is known to whoever has logged in since, too, who gives no claim to a new one', async () => {
      const { id, body, claims } = await newReport({}, [await photograph()]);
      const headers = bearer(adopter.secret);
      expect(messageOf(await report(body, headers))).toEqual(exists('encounter', id));
      expect((await upload({ claim: claims[0] }, undefined, headers)).status).toBe(400);
      for (const answer of [
        await report({ claim: newClaim() }, headers),
        await upload({ claim: newClaim() }, undefined, headers),
      ]) {
        expect([answer.status, keyOf(answer)]).toEqual([403, 'API_RESPONSE_FIELD_NOT_PERMITTED']);
        expect(faults(answer)).toEqual({ claim: 'API_RESPONSE_NOT_PERMITTED' });
      }
    });

    test.each(['', 'short', `${'a'.repeat(42)}!`, 'a'.repeat(44), 5, null, ['a'.repeat(43)]])(
      'has a claim of 256 bits: %j',
      async (claim) => {
        const answer = await report({ claim });
        expect(answer.status).toBe(claim === null ? 200 : 400);
        if (claim !== null) expect(Object.keys(faults(answer))).toEqual(['claim']);
      },
    );
  });

  describe('the adoption of a report', () => {
    test.each(STATES)('that is %s makes it the adopter’s, with its photographs', async (state) => {
      const { id, claim, assets } = await newReport({}, [await photograph(), await photograph()]);
      await decide(id, state);
      const { version } = await read('moderator', `encounter/${id}`);
      const next = { id, version: Number(version) + 1 };
      expect(responseOf(await adopt(id, claim))).toEqual(next);
      expect(await read(adopter, `encounter/${id}`)).toMatchObject({
        owner: adopter.id,
        state,
        assets,
        version: next.version,
      });
      for (const asset of assets) {
        expect(await read(adopter, `asset/${asset}`)).toMatchObject({
          owner: adopter.id,
          version: 2,
        });
        const original = await as(adopter, 'GET', `asset/${asset}/file`);
        expect(original.headers['content-type']).toBe('image/jpeg');
      }
      for (const object of [id, ...assets]) {
        const [last] = (await historyOf(world().service, object)).slice(-1);
        expect(last).toMatchObject({ action: 'claim', actor_id: adopter.id });
        expect(last?.changes).toEqual([{ path: 'owner', before: null, after: adopter.id }]);
      }
      // Sent again, because its answer was lost.
      expect(responseOf(await adopt(id, claim))).toEqual(next);
      expect((await adopt(id, claim, other)).status).toBe(state === 'approved' ? 403 : 402);
    });

    test('ends what its claims permit', async () => {
      const { id, claim, assets, claims } = await newReport({}, [await photograph()]);
      const carry = (path: string, secret: unknown) =>
        world().send({
          method: 'GET',
          url: `/api/v0/${path}`,
          headers: { 'X-Claim': String(secret) },
        });
      const statuses = async () => [
        (await carry(`encounter/${id}`, claim)).status,
        (await carry(`asset/${String(assets[0])}`, claims[0])).status,
      ];
      expect(await statuses()).toEqual([200, 200]);
      await adopt(id, claim);
      expect(await statuses()).toEqual([402, 402]);
    });

    test('answers whoever does not carry its claim like a call for nothing', async () => {
      const { id, claim, claims } = await newReport({}, [await photograph()]);
      const theirs = await newReport();
      const answers = [
        await adopt(id, newClaim()),
        await adopt(id, null),
        await adopt(id, String(claims[0])),
        await adopt(id, theirs.claim),
        await adopt(randomUUID(), claim),
        await adopt(randomUUID(), newClaim()),
      ];
      for (const answer of answers) {
        expect([answer.status, keyOf(answer)]).toEqual([402, 'API_RESPONSE_ENTITY_NOT_FOUND']);
        expect(answer.headers['content-length']).toBe(answers[0]?.headers['content-length']);
      }
      expect((await adopt(id, claim, null)).status).toBe(401);
      expect((await as('moderator', 'POST', `encounter/${id}/claim`, {})).status).toBe(403);
      expect(await read('moderator', `encounter/${id}`)).toMatchObject({ owner: null, version: 1 });
      await decide(id, 'approved');
      for (const wrong of [newClaim(), null, theirs.claim])
        expect((await adopt(id, wrong)).status).toBe(403);
    });

    test('is over after 30 days, and where a moderator has said who owns it', async () => {
      const [late, given] = [await newReport(), await newReport()];
      await knex()('oms_claims')
        .where({ hash: hashOf(late.claim) })
        .update({ adopt_until: Date.now() - 1 });
      await as('moderator', 'PUT', `encounter/${given.id}`, { owner: other.id });
      for (const { id, claim } of [late, given]) {
        await decide(id, 'rejected');
        expect((await adopt(id, claim)).status).toBe(402);
      }
    });

    test('is over where a moderator has given it away, also when that owner is gone', async () => {
      const passing = await newPerson();
      const { id, claim } = await newReport();
      await as('moderator', 'PUT', `encounter/${id}`, { owner: passing.id });
      expect((await erase(passing)).status).toBe(200);
      expect((await adopt(id, claim)).status).toBe(403);
      expect(await read('moderator', `encounter/${id}`)).toMatchObject({ owner: null });
    });

    test('is answered again for 30 days, and no longer', async () => {
      const { id, claim } = await newReport();
      expect((await adopt(id, claim)).status).toBe(200);
      expect((await adopt(id, claim)).status).toBe(200);
      await knex()('oms_claims')
        .where({ hash: hashOf(claim) })
        .update({ known_until: Date.now() - 1 });
      expect((await adopt(id, claim)).status).toBe(403);
    });

    test('leaves the ID that a source gave it', async () => {
      const { id, claim } = await newReport();
      const named = { source: 'a museum', external_id: randomUUID() };
      await as('moderator', 'PUT', `encounter/${id}`, named);
      const adopted = await adopt(id, claim);
      expect([adopted.status, messageOf(adopted)]).toEqual([200, undefined]);
      expect(await read(adopter, `encounter/${id}`)).toMatchObject(named);
    });

    test('works once: not again when the adopter is gone', async () => {
      const leaving = await newPerson();
      const { id, claim } = await newReport();
      expect((await adopt(id, claim, leaving)).status).toBe(200);
      expect((await erase(leaving)).status).toBe(200);
      expect(await read('moderator', `encounter/${id}`)).toMatchObject({ owner: null });
      expect((await adopt(id, claim)).status).toBe(402);
    });

    test('takes the adopter’s own photographs of the same bytes, each once', async () => {
      const [same, twice, single] = [await photograph(), await photograph(), await photograph()];
      const own = String(responseOf(await upload({}, same, bearer(adopter.secret)))['id']);
      const { id, claim, assets } = await newReport({ location_privacy: 'obscured' }, [
        twice,
        same,
        twice,
        single,
      ]);
      const [first, equal, second, last] = assets;
      expect((await adopt(id, claim)).status).toBe(200);
      const adopted = await read(adopter, `encounter/${id}`);
      expect(adopted['assets']).toEqual([first, own, last]);
      for (const mine of [first, own, last])
        expect(await read(adopter, `asset/${String(mine)}`)).toMatchObject({ owner: adopter.id });
      for (const left of [equal, second])
        expect(await read('moderator', `asset/${String(left)}`)).toMatchObject({ owner: null });
      // Its bytes have never left the report.
      expect(
        await knex()('oms_kept_photographs').where({
          sha256: (await read('moderator', `asset/${own}`))['sha256'],
        }),
      ).toEqual([]);
    });

    test('takes no photograph that a moderator has added or given away', async () => {
      const { id, claim, assets } = await newReport({}, [await photograph(), await photograph()]);
      const foreign = await newReport({}, [await photograph()]);
      const [given, kept] = assets;
      await as('moderator', 'PUT', `asset/${String(given)}`, { owner: other.id });
      const added = { assets: [...assets, ...foreign.assets] };
      expect((await as('moderator', 'PUT', `encounter/${id}`, added)).status).toBe(200);
      expect((await adopt(id, claim)).status).toBe(200);
      const owners = [given, kept, foreign.assets[0]].map(
        async (asset) => (await read('moderator', `asset/${String(asset)}`))['owner'],
      );
      expect(await Promise.all(owners)).toEqual([other.id, adopter.id, null]);
    });

    test('moves an external ID that the adopter has used to `verbatim`', async () => {
      const used = randomUUID();
      const own = await as(adopter, 'POST', 'encounter', { external_id: used });
      expect(own.status).toBe(200);
      const free = randomUUID();
      for (const [given, expected] of [
        [used, { external_id: null, verbatim: { catalogNumber: used } }],
        [free, { external_id: free, verbatim: null }],
      ] as const) {
        const { id, claim } = await newReport({ external_id: given });
        const answer = await adopt(id, claim);
        expect(messageOf(answer)).toEqual(
          given === used
            ? { key: 'API_RESPONSE_EXTERNAL_ID_MOVED', args: { external_id: used } }
            : undefined,
        );
        expect(answer.status).toBe(200);
        expect(await read(adopter, `encounter/${id}`)).toMatchObject(expected);
      }
    });
  });

  describe('at once', () => {
    test('of two adopters one owns the report and all of its photographs', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, claim, assets } = await newReport({}, [await photograph(), await photograph()]);
        const people = [adopter, other, adopter, other];
        const answers = await Promise.all(people.map((who) => adopt(id, claim, who)));
        const { owner, version } = await read('moderator', `encounter/${id}`);
        expect(version).toBe(2);
        for (const [n, { status }] of answers.entries())
          // Whoever comes second was able to read it with the claim until then.
          expect(
            [200, 402, 403].filter((one) => (one === 200) === (people[n]?.id === owner)),
          ).toContain(status);
        for (const asset of assets)
          expect(await read('moderator', `asset/${asset}`)).toMatchObject({ owner, version: 2 });
      }
    });

    test('an adoption and a decision are both carried out', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id, claim, assets, claims } = await newReport({}, [await photograph()]);
        const [adopted] = await Promise.all([adopt(id, claim), decide(id, 'approved')]);
        expect(adopted.status).toBe(200);
        expect(await read('moderator', `encounter/${id}`)).toMatchObject({
          owner: adopter.id,
          state: 'approved',
          version: 3,
        });
        const change = await world().send({
          method: 'PUT',
          url: `/api/v0/asset/${String(assets[0])}`,
          body: { license: null },
          headers: { 'X-Claim': String(claims[0]) },
        });
        expect(change.status).toBe(401);
      }
    });

    test('an adopter’s upload of the same bytes leaves it one photograph of them', async () => {
      for (let round = 0; round < 5; round += 1) {
        const bytes = await photograph();
        const { id, claim } = await newReport({ external_id: randomUUID() }, [bytes]);
        const { external_id } = await read('moderator', `encounter/${id}`);
        const [adopted, , made] = await Promise.all([
          adopt(id, claim),
          upload({}, bytes, bearer(adopter.secret)),
          as(adopter, 'POST', 'encounter', { external_id }),
        ]);
        expect(adopted.status).toBe(200);
        const mine = await read(adopter, `encounter/${id}?include=assets`);
        const { sha256 } = await read(adopter, `asset/${String((mine['assets'] as string[])[0])}`);
        expect(
          await knex()('assets').where({ sha_256: sha256 }).whereNotNull('owner_id'),
        ).toHaveLength(1);
        expect(mine['external_id']).toBe(made.status === 200 ? null : external_id);
      }
    });
  });
}
