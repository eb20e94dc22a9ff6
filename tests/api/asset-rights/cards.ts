import sharp from 'sharp';
import { openToRoles } from '../../helpers/callers';
import { at, type Json } from '../../helpers/json';
import { useMembers, type Member, type Who } from '../../helpers/members';
import { bearer, responseOf } from '../../helpers/people';
import { photograph, uploadRequest } from '../../helpers/upload';
import type { World } from '../../helpers/world';

/** What `include` tells of objects: all that a card needs. In a shared service. */
export function describeCards(world: () => World): void {
  const { as, newPerson, read } = useMembers(world);
  let [owner, stranger] = [] as unknown as [Member, Member];
  let taxonomy = '';
  const alt_text = { en: 'Two zebras at a waterhole' };
  const told = { alt_text, license: 'CC-BY-4.0', rights_holder: 'The Zebra Trust' };

  beforeAll(async () => {
    await openToRoles(world().service);
    [owner, stranger] = [await newPerson(), await newPerson()];
    const taxon = {
      scientific_name: `Equus cards${Date.now()}`,
      rank: 'species',
      vernacular_names: { en: 'card zebra' },
    };
    taxonomy = String(responseOf(await as('moderator', 'POST', 'taxonomy', taxon))['id']);
  });

  const upload = async (width: number, height: number): Promise<string> => {
    const request = uploadRequest(
      { bytes: await photograph(width, height), fields: told },
      bearer(owner.secret),
    );
    return String(responseOf(await world().send(request))['id']);
  };
  const make = async (type: string, body: Json): Promise<string> =>
    String(responseOf(await as(owner, 'POST', type, body))['id']);
  const includedIn = async (who: Who, path: string): Promise<Json> =>
    at(await read(who, path), 'included') as Json;

  test('is names and rank of a taxon, sex and taxon of an individual', async () => {
    const individual = await make('individual', { taxonomy, sex: 'female' });
    const encounter = await make('encounter', { individual });
    const included = await includedIn(stranger, `encounter/${encounter}?include=individual`);
    expect(at(included, 'individual', individual)).toEqual({
      id: individual,
      display_name: null,
      sex: 'female',
      taxonomy,
    });
    const name = at(await read(null, `taxonomy/${taxonomy}`), 'scientific_name');
    const of = await includedIn(null, `individual/${individual}?include=taxonomy`);
    expect(at(of, 'taxonomy', taxonomy)).toEqual({
      id: taxonomy,
      display_name: name,
      scientific_name: name,
      rank: 'species',
      vernacular_names: { en: 'card zebra' },
    });
  });

  test.each([
    [24, 16],
    [700, 300],
    [333, 2100],
  ])('is what a picture of %i × %i says, with the pixels of its files', async (width, height) => {
    const asset = await upload(width, height);
    const path = `/api/v0/asset/${asset}/file`;
    const individual = await make('individual', { taxonomy, photo_id: path });
    await as(owner, 'PUT', `user/${owner.id}`, { photo_id: path });
    const encounter = await make('encounter', { individual, taxonomy, assets: [asset] });
    const url = `encounter/${encounter}?include=assets,individual,owner`;
    const included = await includedIn(null, url);
    const renditions = at(included, 'asset', asset, 'renditions') as Readonly<Record<string, Json>>;
    expect(Object.keys(renditions)).toEqual(['thumbnail', 'small', 'large']);
    for (const [name, { path: at_, ...pixels }] of Object.entries(renditions)) {
      expect(at_).toBe(`${path}?size=${name}`);
      const { bytes } = await world().send({ method: 'GET', url: String(at_) });
      const file = await sharp(bytes).metadata();
      expect([name, pixels]).toEqual([name, { width: file.width, height: file.height }]);
    }
    for (const [type, id] of [
      ['asset', asset],
      ['individual', individual],
      ['user', owner.id],
    ] as const)
      expect([type, at(included, type, id)]).toMatchObject([type, { id, ...told, renditions }]);
    const found = await as(
      stranger,
      'GET',
      `search/encounter?id=${encounter}&expand=true&include=individual`,
    );
    expect(at(responseOf(found), 'included', 'individual', individual)).toMatchObject(told);
  });

  test('tells no more of a picture than a read of it does', async () => {
    const asset = await upload(30, 20);
    const path = `/api/v0/asset/${asset}/file`;
    const individual = await make('individual', { taxonomy, photo_id: path });
    // Its text, and who has the rights, are those of a record that is not open.
    await make('encounter', { taxonomy, assets: [asset], location_privacy: 'private' });
    const encounter = await make('encounter', { taxonomy, individual });
    const seen = async (who: Who): Promise<Json> => {
      const included = await includedIn(who, `encounter/${encounter}?include=individual`);
      return at(included, 'individual', individual) as Json;
    };
    expect(await seen(owner)).toMatchObject(told);
    const theirs = await seen(stranger);
    expect(Object.keys(theirs).sort()).toEqual(
      ['display_name', 'id', 'license', 'renditions', 'sex', 'taxonomy'].sort(),
    );
    const own = await read(stranger, `asset/${asset}`);
    expect('alt_text' in own || 'rights_holder' in own).toBe(false);
  });
}
