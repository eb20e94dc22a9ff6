import { databaseOf } from '#app/plugins/objects/server';
import { unavailable } from '#app/plugins/objects/server/database/database';
import { idsOf } from '../../helpers/ids';
import { at, type Json } from '../../helpers/json';
import type { Panel } from '../../helpers/panel';
import type { TestService } from '../../helpers/service';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';

/** Strapi's document service, as a plugin or a script calls it. */
export function testService(started: () => Panel): void {
  const uuid = idsOf(2);
  const TAXONOMY = 'api::taxonomy.taxonomy';
  const ENCOUNTER = 'api::encounter.encounter';
  type Uid = typeof TAXONOMY | typeof ENCOUNTER;

  /** Strapi's types know the attributes; what is wrong in them is the point here. */
  interface Documents {
    create(params: Json): Promise<Json>;
    update(params: Json): Promise<Json | null>;
    delete(params: Json): Promise<Json>;
    clone(params: Json): Promise<Json>;
    findOne(params: Json): Promise<Json | null>;
    findMany(params: Json): Promise<Json[]>;
  }

  let service: TestService;
  beforeAll(() => {
    ({ service } = started());
  });

  /** Strapi's document service, as a plugin or a script calls it. */
  const documents = (uid: Uid): Documents => service.strapi.documents(uid) as unknown as Documents;

  const create = (uid: Uid, data: Json): Promise<Json> => documents(uid).create({ data });

  async function refused(action: () => Promise<unknown>, text: RegExp): Promise<void> {
    const before = await snapshot(service);
    await expect(action()).rejects.toThrow(text);
    await expectUnchanged(service, before);
  }

  describe("Strapi's document service", () => {
    test('makes, changes and deletes by the rules of the API', async () => {
      const taxon = await create(TAXONOMY, { scientificName: 'Equus asinus', rank: 'Species' });
      expect(taxon).toMatchObject({ rank: 'species', version: 1 });
      const documentId = String(taxon['documentId']);
      const changed = await documents(TAXONOMY).update({
        documentId,
        data: { taxonomicStatus: 'synonym' },
        fields: ['taxonomicStatus'],
      });
      expect(changed).toEqual({ id: taxon['id'], documentId, taxonomicStatus: 'synonym' });
      expect(await documents(TAXONOMY).delete({ documentId })).toMatchObject({
        documentId,
        entries: [{ documentId, version: 2 }],
      });
      expect(await documents(TAXONOMY).findOne({ documentId })).toBeNull();
      expect(
        (await historyOf(service, documentId)).map((entry) => [entry.action, entry.actor_kind]),
      ).toEqual([
        ['create', 'system'],
        ['update', 'system'],
        ['delete', 'system'],
      ]);
    });

    test('takes an ID that is given, once', async () => {
      const documentId = uuid(1);
      expect(await create(ENCOUNTER, { documentId })).toMatchObject({ documentId });
      await refused(() => create(ENCOUNTER, { documentId }), /taken/);
    });

    test('takes a document back as it gave it, and a relation in each of the ways of Strapi', async () => {
      const [first, second] = [
        await create(TAXONOMY, { scientificName: 'Giraffa' }),
        await create(TAXONOMY, { scientificName: 'Okapia' }),
      ];
      const target = String(first['documentId']);
      const { documentId } = await create(ENCOUNTER, { taxonomy: target, time: '2021' });
      const update = async (values: Json): Promise<unknown> => {
        const populate = { taxonomy: { fields: ['documentId'] } };
        const id = String(documentId);
        const before = await documents(ENCOUNTER).findOne({ documentId: id, populate });
        const after = await documents(ENCOUNTER).update({
          documentId: id,
          data: { ...before, ...values },
          populate,
        });
        return at(after, 'taxonomy', 'documentId');
      };
      expect(await update({})).toBe(target);
      expect(await update({ taxonomy: null })).toBeUndefined();
      expect(await update({ taxonomy: { documentId: target } })).toBe(target);
      expect(await update({ taxonomy: { set: [] } })).toBeUndefined();
      expect(await update({ taxonomy: { set: [{ documentId: target }] } })).toBe(target);
      expect(await update({ taxonomy: { connect: second['documentId'] } })).toBe(
        second['documentId'],
      );
      expect(await update({ taxonomy: { disconnect: [second['documentId']] } })).toBeUndefined();
      expect(await update({ taxonomy: { connect: [target] } })).toBe(target);
      expect(await update({ taxonomy: {} })).toBe(target);
    });

    test('refuses what the API refuses', async () => {
      const { documentId, id } = await create(TAXONOMY, { scientificName: 'Tapirus' });
      await refused(() => create(TAXONOMY, { scientificName: 'tapirus' }), /taken/);
      await refused(() => create(TAXONOMY, {}), /required/);
      await refused(
        () => create(TAXONOMY, { scientificName: 'Bos of another color', color: 'red' }),
        /no such field/,
      );
      await refused(() => create(ENCOUNTER, { taxonomy: id }), /taxonomy: .*text/);
      await refused(() => create(ENCOUNTER, { taxonomy: { set: [id] } }), /taxonomy: .*text/);
      const taxon = String(documentId);
      await refused(
        () => documents(TAXONOMY).update({ documentId: taxon, data: { nameKey: 'x' } }),
        /no such field/,
      );
      await refused(
        () => documents(TAXONOMY).update({ documentId: taxon, data: { documentId: uuid(2) } }),
        /cannot be written/,
      );
      await refused(() => documents(TAXONOMY).clone({ documentId: taxon }), /duplicated/);
    });

    test('does nothing to a document that is not there', async () => {
      const documentId = uuid(3);
      expect(await documents(ENCOUNTER).update({ documentId, data: { time: '2021' } })).toBeNull();
      expect(await documents(ENCOUNTER).delete({ documentId })).toEqual({
        documentId,
        entries: [],
      });
    });

    test('throws an error that Strapi answers with 503 if the database is unavailable', async () => {
      const { documentId } = await create(ENCOUNTER, {});
      const away = unavailable(new Error('away'));
      const write = jest.spyOn(databaseOf(service.strapi), 'write').mockRejectedValue(away);
      await expect(
        documents(ENCOUNTER).update({ documentId, data: { time: '2021' } }),
      ).rejects.toMatchObject({ status: 503 });
      write.mockRestore();
    });
  });

  describe('a transaction of somebody else', () => {
    const inTransaction = async (action: () => Promise<unknown>): Promise<void> => {
      await service.strapi.db.transaction(action);
    };
    const names = async (): Promise<unknown[]> =>
      (await documents(TAXONOMY).findMany({ sort: 'scientificName' })).map(
        ({ scientificName }) => scientificName,
      );
    const taxon = (scientificName: string): Promise<Json> => create(TAXONOMY, { scientificName });

    test('keeps nothing when it fails, and all when it does not', async () => {
      const before = await names();
      await expect(
        inTransaction(async () => {
          await taxon('Tragelaphus');
          throw new Error('changed my mind');
        }),
      ).rejects.toThrow('changed my mind');
      expect(await names()).toEqual(before);
      await inTransaction(async () => {
        const { documentId } = await taxon('Xerus');
        await documents(TAXONOMY).update({
          documentId: String(documentId),
          data: { rank: 'genus' },
        });
      });
      expect((await names()).sort()).toEqual([...before, 'Xerus'].sort());
    });

    test('goes on after a refusal that was caught', async () => {
      await inTransaction(async () => {
        await taxon('Yb');
        await expect(taxon('yb')).rejects.toThrow(/taken/);
        await taxon('Yc');
      });
      expect(await names()).toEqual(expect.arrayContaining(['Yb', 'Yc']));
    });

    test('keeps none of several concurrent changes if one of them is refused', async () => {
      const before = await snapshot(service);
      await expect(
        inTransaction(() => Promise.all(['Za', 'Zb', 'zb', 'Zc', 'Zd'].map(taxon))),
      ).rejects.toThrow(/taken/);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await expectUnchanged(service, before);
      await inTransaction(() => Promise.all(['Za', 'Zb', 'Zc'].map(taxon)));
      expect(await names()).toEqual(expect.arrayContaining(['Za', 'Zb', 'Zc']));
    });
  });
}
