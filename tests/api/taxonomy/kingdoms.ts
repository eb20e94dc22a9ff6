import { authorizationOf, openToRoles } from '../../helpers/callers';
import { testDatabase } from '../../helpers/database';
import { idsOf } from '../../helpers/ids';
import { parsed, type Json } from '../../helpers/json';
import { runStory, type Scenario } from '../../helpers/scenario';
import type { World } from '../../helpers/world';

const uuid = idsOf(14);

/** Names that are unique within a kingdom, on a shared service. */
export function testKingdoms(world: () => World): void {
  const [ANIMALS, PLANTS, BIRDS, APIACEAE, BIRD, PLANT] = [1, 2, 3, 4, 5, 6].map(uuid) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const url = '/api/v0/taxonomy';
  const one = (id: string): string => `${url}/${id}`;

  const make = async (id: string, name: string, rank: string | null, more: Json = {}) =>
    world().create('taxonomy', { id, scientific_name: name, rank, ...more });
  const synonymOf = (accepted: string): Json => ({ status: 'synonym', accepted });

  beforeAll(async () => {
    await make(ANIMALS, 'Animalia', 'kingdom');
    await make(PLANTS, 'Plantae', 'kingdom');
    await make(BIRDS, 'Aves', 'class', { parent: ANIMALS });
    await make(APIACEAE, 'Apiaceae', 'family', { parent: PLANTS });
    await make(BIRD, 'Oenanthe', 'genus', { parent: BIRDS });
    await make(PLANT, 'Oenanthe', 'genus', { parent: APIACEAE });
    // A genus without a kingdom, and species below it that only one kingdom has.
    await make(uuid(10), 'Nowhere', 'genus');
    await make(uuid(11), 'Nowhere else', 'species', { parent: uuid(10) });
    await make(uuid(12), 'Nowhere again', null, synonymOf(uuid(11)));
    await make(uuid(13), 'Below an alias', null, { parent: uuid(12) });
    // The same name for a part of a plant and for what would come among plants.
    await make(uuid(20), 'Ficus', 'genus', { parent: PLANTS });
    await make(uuid(21), 'Ficus alba', 'species', { parent: uuid(20) });
    await make(uuid(22), 'Snails', 'family', { parent: ANIMALS });
    await make(uuid(23), 'Snail', 'genus', { parent: uuid(22) });
    await make(uuid(24), 'Ficus alba', 'species', { parent: uuid(23) });
  });

  const create = (name: string, body: Json, expected: Scenario['expect']): Scenario => ({
    name,
    method: 'POST',
    url,
    body,
    expect: expected,
  });
  const update = (
    name: string,
    id: string,
    body: Json,
    expected: Scenario['expect'],
  ): Scenario => ({
    name,
    method: 'PUT',
    url: one(id),
    body,
    expect: expected,
  });
  const taken = (path: string, id: string): Scenario['expect'] => ({
    status: 400,
    key: 'ENTITY_EXISTS',
    args: { type: 'taxonomy', path, id },
    invalid: [[path, 'TAKEN']],
  });
  const good = { status: 200 };

  runStory(world, 'a name is there once in a kingdom, whatever is moved', [
    create(
      'a name is there once in a kingdom, however deep it is',
      { scientific_name: 'oenanthe', rank: 'genus', parent: ANIMALS },
      taken('scientific_name', BIRD),
    ),
    create(
      'and so is that of a synonym, which has the kingdom of its accepted name',
      {
        scientific_name: 'Oenanthe',
        rank: 'genus',
        parent: APIACEAE,
        status: 'synonym',
        accepted: BIRDS,
      },
      taken('scientific_name', BIRD),
    ),
    create(
      'the kingdom is above taxa without a rank, too',
      { id: uuid(31), scientific_name: 'Clade', parent: BIRDS },
      good,
    ),
    create(
      'where a name is taken',
      { scientific_name: 'Oenanthe', rank: 'genus', parent: uuid(31) },
      taken('scientific_name', BIRD),
    ),
    create(
      'while the other one of it is not',
      { scientific_name: 'Ficus', rank: 'genus', parent: uuid(31) },
      good,
    ),
    create(
      'a taxon without a kingdom clashes with those of any',
      { scientific_name: 'Oenanthe', rank: 'genus' },
      { status: 400, key: 'ENTITY_EXISTS', invalid: [['scientific_name', 'TAKEN']] },
    ),
    create(
      'and those of any clash with it',
      { scientific_name: 'Nowhere', rank: 'genus', parent: BIRDS },
      taken('scientific_name', uuid(10)),
    ),
    create(
      'a kingdom is in none itself',
      { scientific_name: 'PLANTAE', rank: 'Kingdom' },
      taken('scientific_name', PLANTS),
    ),
    create(
      'what is below the synonym of a kingdom is in that kingdom',
      { id: uuid(30), scientific_name: 'Metazoa', rank: 'kingdom', ...synonymOf(ANIMALS) },
      good,
    ),
    create(
      'as is found out by a name',
      { scientific_name: 'Oenanthe', rank: 'genus', parent: uuid(30) },
      taken('scientific_name', BIRD),
    ),
    create(
      'a parent that is not there tells of no clash beside it',
      { scientific_name: 'Oenanthe', rank: 'genus', parent: uuid(0xdead) },
      { status: 400, key: 'MALFORMED', invalid: [['parent', 'NO_SUCH']] },
    ),
    update(
      'a move into the kingdom of a namesake is refused',
      PLANT,
      { parent: BIRDS },
      taken('scientific_name', BIRD),
    ),
    update(
      'a move out of the kingdom, too',
      PLANT,
      { parent: null },
      taken('scientific_name', BIRD),
    ),
    update('a move within the kingdom is not', PLANT, { parent: PLANTS }, good),
    update(
      'a move tells of a namesake of what is below',
      uuid(22),
      { parent: PLANTS },
      taken('parent', uuid(21)),
    ),
    update(
      'so does a rank by which what is below gets another kingdom',
      ANIMALS,
      { rank: null },
      taken('rank', PLANT),
    ),
    update('what has no namesake moves with all below it', uuid(10), { parent: PLANTS }, good),
    create(
      'and is in the kingdom afterwards',
      { scientific_name: 'Nowhere else', rank: 'species', parent: APIACEAE },
      taken('scientific_name', uuid(11)),
    ),
    create(
      'with the synonyms of what is below it',
      { scientific_name: 'Nowhere again', parent: APIACEAE },
      taken('scientific_name', uuid(12)),
    ),
    create(
      'and what is below those',
      { scientific_name: 'Below an alias', parent: APIACEAE },
      taken('scientific_name', uuid(13)),
    ),
    create(
      'while another kingdom has the names free',
      { id: uuid(14), scientific_name: 'Below an alias', parent: BIRDS },
      good,
    ),
    update(
      'and cannot get the taxon any more',
      uuid(10),
      { parent: BIRDS },
      taken('parent', uuid(14)),
    ),
    update(
      'a synonym gets the kingdom of the name that becomes the accepted one',
      uuid(13),
      { status: 'synonym', accepted: BIRDS },
      taken('scientific_name', uuid(14)),
    ),
  ]);

  test('of several changes of one batch, each is checked against the kingdoms that those before it have left', async () => {
    const operations = [
      {
        op: 'create',
        type: 'taxonomy',
        id: uuid(40),
        body: { scientific_name: 'Morus', rank: 'genus', parent: PLANTS },
      },
      {
        op: 'create',
        type: 'taxonomy',
        id: uuid(41),
        body: { scientific_name: 'Morus', rank: 'genus', parent: ANIMALS },
      },
      {
        op: 'create',
        type: 'taxonomy',
        id: uuid(42),
        body: { scientific_name: 'Morus', rank: 'genus', parent: BIRDS },
      },
      { op: 'update', type: 'taxonomy', id: uuid(41), body: { parent: PLANTS } },
      { op: 'update', type: 'taxonomy', id: uuid(41), body: { parent: BIRDS } },
    ].map(({ id, body, ...rest }) =>
      rest.op === 'create' ? { ...rest, body: { id, ...body } } : { ...rest, id, body },
    );
    await openToRoles(world().service);
    const { text } = await world().send({
      method: 'POST',
      url: '/api/v0/batch',
      headers: authorizationOf('moderator'),
      body: { operations, atomic: false },
    });
    const { results } = (JSON.parse(text) as { response: { results: { status: number }[] } })
      .response;
    expect(results.map(({ status }) => status)).toEqual([200, 200, 400, 400, 200]);
  });

  test('of two that get one name at the same time, in a kingdom and in none, one is refused', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = { scientific_name: `Twice ${round}`, rank: 'genus' };
      const answers = await Promise.all(
        [{ ...name, parent: BIRDS }, name, { ...name, parent: PLANTS }].map((body) =>
          world().send({ method: 'POST', url, body }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect([statuses[1], statuses.includes(200)]).toEqual([
        statuses[0] === 200 || statuses[2] === 200 ? 400 : 200,
        true,
      ]);
    }
  });

  test('a move and a new name below its target are one after the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [genus, name] = [uuid(100 + round), `Moved ${round}`];
      await make(genus, `Genus ${round}`, 'genus', { parent: PLANTS });
      await world().create('taxonomy', { scientific_name: name, parent: genus });
      const answers = await Promise.all([
        world().send({ method: 'PUT', url: one(genus), body: { parent: ANIMALS } }),
        world().send({ method: 'POST', url, body: { scientific_name: name, parent: BIRDS } }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  test('more taxa than can be looked at do not come into another kingdom', async () => {
    const { connection } = world().service.strapi.db;
    const [family, last] = [uuid(200), uuid(201)];
    await make(family, 'Crowded', 'family', { parent: PLANTS });
    await make(last, 'Crowded out', 'genus', { parent: family });
    const row = async (id: string): Promise<{ id: number }> => {
      const [found = 0] = await connection('taxonomies')
        .where({ document_id: id })
        .pluck<number[]>('id');
      return { id: found };
    };
    const { id: parent } = await row(family);
    const { id: kingdom } = await row(PLANTS);
    const others = Array.from({ length: 10_000 }, (_, at) => ({
      document_id: `crowd ${at}`,
      scientific_name: `Crowd ${at}`,
      name_key: `crowd ${at}`,
      taxonomic_status: 'accepted',
      version: 1,
      effective_privacy: 0,
      protected_below: 0,
      parent_id: parent,
      kingdom,
    }));
    try {
      await connection.batchInsert('taxonomies', others, 400);
      if (testDatabase === 'postgres') await connection.raw('analyze taxonomies');
      const move = (body: Json) => world().send({ method: 'PUT', url: one(family), body });
      const refused = await move({ parent: ANIMALS });
      expect([refused.status, parsed(refused.text)]).toMatchObject([
        400,
        {
          message: { key: 'API_RESPONSE_TOO_MANY_BELOW', args: { max: 10_000 } },
          response: { invalid: [{ path: 'parent', key: 'API_RESPONSE_TOO_LARGE' }] },
        },
      ]);
      expect((await move({ parent: APIACEAE })).status).toBe(200);
      await world().update('taxonomy', last, { parent: PLANTS });
      expect((await move({ parent: ANIMALS })).status).toBe(200);
      const moved = await connection('taxonomies')
        .where({ document_id: 'crowd 9999' })
        .first<object>('kingdom');
      expect(moved).toEqual({ kingdom: (await row(ANIMALS)).id });
    } finally {
      await connection('taxonomies').where('document_id', 'like', 'crowd %').delete();
    }
  }, 60_000);
}
