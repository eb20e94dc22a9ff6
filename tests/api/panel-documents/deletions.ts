import { at, type Json } from '../../helpers/json';
import { documents, link, notice, type Panel, type PanelAnswer } from '../../helpers/panel';
import { expectUnchanged, historyOf, snapshot } from '../../helpers/snapshot';

/** Deletions in the panel, of one document and of a selection. */
export function testDeletions(started: () => Panel): void {
  let panel: Panel;
  beforeAll(() => {
    panel = started();
  });

  const taxon = (scientificName: string, data: Json = {}): Promise<Json> =>
    panel.create('taxonomy', { scientificName, ...data });

  const below = (parent: Json): Json => ({ parent: { connect: [link(parent)] } });

  const remove = (type: string, { documentId }: Json): Promise<PanelAnswer> =>
    panel.ask('DELETE', `${documents(type)}/${String(documentId)}?locale=*`);

  /** What the panel sends for the rows that are ticked. */
  const removeAll = (type: string, selection: readonly Json[]): Promise<PanelAnswer> =>
    panel.ask('POST', `${documents(type)}/actions/bulkDelete`, {
      documentIds: selection.map(({ documentId }) => documentId),
    });

  const isThere = async (type: string, { documentId }: Json): Promise<boolean> =>
    (await panel.ask('GET', `${documents(type)}/${String(documentId)}`)).status === 200;

  /** Nothing that comes late may change anything either: what a refusal has left behind gets time to. */
  async function refused(action: () => Promise<PanelAnswer>): Promise<PanelAnswer> {
    const before = await snapshot(panel.service);
    const answer = await action();
    expect(answer.status).toBe(400);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expectUnchanged(panel.service, before);
    return answer;
  }

  describe('a deletion', () => {
    test('is done, and the history names who did it', async () => {
      const gone = await taxon('Canis');
      expect((await remove('taxonomy', gone)).status).toBe(200);
      expect(await isThere('taxonomy', gone)).toBe(false);
      expect((await historyOf(panel.service, String(gone['documentId']))).at(-1)).toMatchObject({
        action: 'delete',
        version: 1,
        actor_name: 'Administrator',
      });
    });

    test('of a taxon that is in use is refused in words', async () => {
      const used = await taxon('Vulpes');
      await taxon('Vulpes vulpes', below(used));
      const answer = await refused(() => remove('taxonomy', used));
      expect(notice(answer)).toMatch(/^Vulpes: .*taxon \(1\).* Nothing was deleted\.$/);
    });

    test('of nothing is not found', async () => {
      const gone = await taxon('Lycaon');
      await remove('taxonomy', gone);
      expect((await remove('taxonomy', gone)).status).toBe(404);
    });
  });

  describe('the deletion of a selection', () => {
    test('deletes all of it, each with its row in the history', async () => {
      const selection = await Promise.all(
        ['Ab', 'Bc', 'Cd', 'De', 'Ef'].map((name) => taxon(name)),
      );
      const answer = await removeAll('taxonomy', selection);
      expect(answer).toEqual({ status: 200, body: { count: 5 } });
      for (const gone of selection) {
        expect(await isThere('taxonomy', gone)).toBe(false);
        const history = await historyOf(panel.service, String(gone['documentId']));
        expect(history.map(({ action }) => action)).toEqual(['create', 'delete']);
      }
    });

    test('deletes encounters', async () => {
      const selection = [await panel.create('encounter', {}), await panel.create('encounter', {})];
      expect(at(await removeAll('encounter', selection), 'body', 'count')).toBe(2);
    });

    test.each([
      ['first', 0],
      ['in the middle', 2],
      ['last', 4],
    ])('deletes nothing when one of it is in use: the one that is %s', async (place, position) => {
      const selection: Json[] = [];
      for (const number of [0, 1, 2, 3, 4]) selection.push(await taxon(`${place} ${number}`));
      const used = selection[position] ?? {};
      await panel.create('encounter', { taxonomy: { connect: [link(used)] } });
      const answer = await refused(() => removeAll('taxonomy', selection));
      expect(notice(answer)).toMatch(new RegExp(`^${place} ${position}: .*encounter`));
    });

    test('deletes nothing when several of it are in use', async () => {
      const selection = await Promise.all(['used 1', 'free', 'used 2'].map((name) => taxon(name)));
      const [first = {}, , last = {}] = selection;
      await panel.create('encounter', { taxonomy: { connect: [link(first)] } });
      await panel.create('encounter', { taxonomy: { connect: [link(last)] } });
      const answer = await refused(() => removeAll('taxonomy', selection));
      for (const name of ['used 1', 'used 2'])
        expect(notice(answer)).toContain(`${name}: Still in use by: encounter (1).`);
      expect(notice(answer)).toMatch(/ Nothing was deleted\.$/);
    });

    test('leaves the service as it was: the next save and the next selection succeed', async () => {
      const used = await taxon('used 3');
      const encounter = await panel.create('encounter', { taxonomy: { connect: [link(used)] } });
      const free = await taxon('free 3');
      await refused(() => removeAll('taxonomy', [free, used]));
      expect((await remove('encounter', encounter)).status).toBe(200);
      expect((await removeAll('taxonomy', [free, used])).status).toBe(200);
    });
  });
}
