import { importer, service as itself } from '#app/core/caller';
import { eventsOf, objectsOf, registryOf } from '#app/plugins/objects/server';
import { newAccount } from '../../helpers/accounts';
import { authorizationOf, openToRoles } from '../../helpers/callers';
import { send } from '../../helpers/http';
import { at, type Json } from '../../helpers/json';
import { documents, type Panel } from '../../helpers/panel';
import { expectUnchanged, snapshot } from '../../helpers/snapshot';
import type { TestService } from '../../helpers/service';

/** What Strapi's event hub tells of changes from each door, and changes that go round the writer. */
export function testEvents(started: () => Panel): void {
  let panel: Panel;
  let service: TestService;
  beforeAll(async () => {
    panel = started();
    ({ service } = panel);
    await openToRoles(service);
  });

  interface Heard {
    readonly event: string;
    readonly uid: string;
    readonly entry: Json;
  }

  /** The events of what is done meanwhile, as a listener hears them. */
  async function heardDuring(action: () => Promise<unknown>): Promise<Heard[]> {
    const { eventHub } = service.strapi;
    const heard: Heard[] = [];
    const ends = ['entry.create', 'entry.update', 'entry.delete'].map((event) =>
      eventHub.on(event, (told: unknown) => {
        heard.push({ event, ...(told as { uid: string; entry: Json }) });
        return Promise.resolve();
      }),
    );
    try {
      await action();
      await eventsOf(service.strapi).settled();
    } finally {
      for (const end of ends) end();
    }
    return heard;
  }

  const short = (heard: readonly Heard[]): unknown[] =>
    heard.map(({ event, uid, entry }) => [
      event.replace('entry.', ''),
      uid.split('.').at(-1),
      entry['documentId'],
    ]);

  const asModerator = async (method: string, path: string, body?: Json): Promise<string> => {
    const headers = authorizationOf('moderator');
    const url = `/api/v0/${path}`;
    const { status, text } = await send(service.url, { method, url, headers, body });
    expect([status, text]).toEqual([200, text]);
    return String(at(JSON.parse(text), 'response', 'id'));
  };

  describe("Strapi's event hub", () => {
    test('tells of a change by the interface, with the entry as it is then and its relations', async () => {
      let [taxonomy, id] = ['', ''];
      const heard = await heardDuring(async () => {
        taxonomy = await asModerator('POST', 'taxonomy', { scientific_name: 'Suricata' });
        id = await asModerator('POST', 'encounter', { taxonomy, time: '2021', source: 's' });
        await asModerator('PUT', `encounter/${id}`, { locality: 'Here', external_id: 'x' });
        await asModerator('DELETE', `encounter/${id}`);
      });
      expect(short(heard)).toEqual([
        ['create', 'taxonomy', taxonomy],
        ['create', 'encounter', id],
        ['update', 'encounter', id],
        ['delete', 'encounter', id],
      ]);
      const last = heard.at(-1)?.entry;
      expect(last).toMatchObject({ documentId: id, locality: 'Here', time: '2021' });
      for (const { entry } of heard) {
        expect(entry).not.toHaveProperty('importKey');
        expect(entry).not.toHaveProperty('nameKey');
        expect(entry).not.toHaveProperty('timeStart');
      }
    });

    test('gives a stored entry as Strapi gives it', async () => {
      const taxonomy = await asModerator('POST', 'taxonomy', { scientific_name: 'Helogale' });
      const id = await asModerator('POST', 'encounter', { taxonomy, group_size: 3 });
      const [heard] = await heardDuring(() =>
        asModerator('PUT', `encounter/${id}`, { time: '2022' }),
      );
      const stored = (await service.strapi
        .documents('api::encounter.encounter')
        .findOne({ documentId: id, populate: '*' })) as unknown as Json;
      expect(heard?.entry).toMatchObject({
        id: stored['id'],
        groupSize: 3,
        time: '2022',
        taxonomy: { documentId: taxonomy, scientificName: 'Helogale' },
      });
    });

    test('tells of changes by the panel, an import, a batch, and of what follows from a change', async () => {
      const ids: string[] = [];
      const objects = objectsOf(service.strapi);
      const heard = await heardDuring(async () => {
        const made = await panel.create('individual', {});
        ids.push(String(made['documentId']));
        const body = { individual: ids[0] };
        const change = { op: 'create', type: 'encounter', body } as const;
        const [outcome] = await objects.writeAll([change], importer('a package'));
        ids.push(outcome?.ok ? outcome.written.id : '');
        const operations = [
          { op: 'update', type: 'individual', id: ids[0], body: { sex: 'male' } },
        ];
        const url = '/api/v0/batch';
        const headers = authorizationOf('administrator');
        const answer = await send(service.url, {
          method: 'POST',
          url,
          headers,
          body: { operations },
        });
        expect(answer.status).toBe(200);
        const remove = `${documents('individual')}/${ids[0]}`;
        expect((await panel.ask('DELETE', remove)).status).toBe(200);
      });
      const [animal, sighting] = ids;
      expect(short(heard)).toEqual([
        ['create', 'individual', animal],
        ['create', 'encounter', sighting],
        ['update', 'individual', animal],
        // The reference of the encounter is emptied.
        ['update', 'encounter', sighting],
        ['delete', 'individual', animal],
      ]);
    });

    test('never has a secret of a person', async () => {
      const heard = await heardDuring(async () => {
        const password = 'correct horse of events';
        const { id } = await newAccount(service, 'user', { password });
        const objects = objectsOf(service.strapi);
        const body = { password: 'another horse of events' };
        await objects.write({ op: 'update', type: 'user', id, body }, itself);
        await objects.write({ op: 'delete', type: 'user', id }, itself);
      });
      expect(heard.map(({ event }) => event)).toEqual([
        'entry.create',
        'entry.update',
        'entry.delete',
      ]);
      const text = JSON.stringify(heard);
      expect(text).not.toMatch(/password|argon2|horse|emailKey|usernameKey|"hash"/);
      expect(heard.map(({ entry }) => typeof entry['email'])).toEqual(Array(3).fill('string'));
    });

    test('tells of nothing that is rolled back, refused or only tried', async () => {
      const heard = await heardDuring(async () => {
        const taxon = (scientificName: string) =>
          service.strapi
            .documents('api::taxonomy.taxonomy')
            .create({ data: { scientificName } as never });
        await expect(
          service.strapi.db.transaction(async () => {
            await taxon('Rolled back');
            throw new Error('changed my mind');
          }),
        ).rejects.toThrow('changed my mind');
        const same = {
          op: 'create',
          type: 'taxonomy',
          body: { scientific_name: 'Twice' },
        } as const;
        const objects = objectsOf(service.strapi);
        await objects.writeAll([same, same], itself, { atomic: true });
        await objects.writeAll([same], itself, { dryRun: true });
        await service.strapi.db.transaction(async () => {
          await taxon('Kept');
          await taxon('kept').catch(() => undefined);
        });
      });
      expect(heard.map(({ event, entry }) => [event, entry['scientificName']])).toEqual([
        ['entry.create', 'Kept'],
      ]);
    });

    test('goes on after a listener that fails, and so does the change', async () => {
      const error = jest.spyOn(service.strapi.log, 'error').mockReturnValue(service.strapi.log);
      const end = service.strapi.eventHub.on('entry.create', () =>
        Promise.reject(new TypeError('no such table')),
      );
      await asModerator('POST', 'encounter', {});
      await eventsOf(service.strapi).settled();
      end();
      const logged = error.mock.calls as unknown[][];
      error.mockRestore();
      const failed = /^a listener to entry\.create of encounter failed: .*no such table$/;
      expect(logged).toEqual([[expect.stringMatching(failed)]]);
      const heard = await heardDuring(() => asModerator('POST', 'encounter', {}));
      expect(heard).toHaveLength(1);
    });
  });

  describe('a change that goes round the writer', () => {
    test('is refused by name, of each type and by each call, and changes nothing', async () => {
      await asModerator('POST', 'encounter', {});
      const before = await snapshot(service);
      const uids = registryOf(service.strapi).uids();
      expect(uids.length).toBeGreaterThan(7);
      for (const uid of uids) {
        const query = service.strapi.db.query(uid);
        const where = { version: { $gt: 0 } };
        const calls = {
          create: () => query.create({ data: { version: 1 } }),
          createMany: () => query.createMany({ data: [{ version: 1 }] }),
          update: () => query.update({ where, data: { version: 7 } }),
          updateMany: () => query.updateMany({ where, data: { version: 7 } }),
          delete: () => query.delete({ where }),
          deleteMany: () => query.deleteMany({ where }),
        };
        for (const [method, call] of Object.entries(calls))
          await expect(call()).rejects.toMatchObject({
            name: 'WriterBypassedError',
            message: expect.stringContaining(`strapi.db.query("${uid}").${method} `) as unknown,
          });
      }
      await expectUnchanged(service, before);
      expect(await service.strapi.db.query('api::encounter.encounter').count()).toBeGreaterThan(0);
    });
  });
}
