import { cellsOf } from '../../helpers/archive';
import { uuid } from '../../helpers/ids';
import type { Answer } from '../../helpers/http';
import { at, parsed, type Json } from '../../helpers/json';
import type { World } from '../../helpers/world';

export interface Exports {
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The objects of a type that a caller may read, by their IDs. */
  readonly readableBy: (who: string, type: string) => ReadonlyMap<string, Json>;
  /** The IDs of all encounters that a caller finds, the newest first. */
  readonly find: (who: string) => Promise<string[]>;
}

/** Exports of what a search finds, on a shared service. */
export function testExports(world: () => World, { callers, readableBy, find }: Exports): void {
  const exported = async (who: string, path: string): Promise<Answer> =>
    world().send({ method: 'GET', url: `/api/v0/export/${path}`, headers: callers[who] ?? {} });

  test('an export has every object that a search finds, with what a read gives', async () => {
    for (const who of Object.keys(callers)) {
      const { status, text: csv, headers } = await exported(who, 'encounter?format=csv&sort=-time');
      expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
      const [head = [], ...rows] = cellsOf(csv);
      const ids = await find(who);
      const [id, latitude, remarks, herd] = ['id', 'latitude', 'remarks', 'custom_fields.herd'].map(
        (name) => head.indexOf(name),
      );
      expect(rows.map((row) => row[id ?? -1])).toEqual(ids);
      for (const row of rows) {
        const object = readableBy(who, 'encounter').get(row[id ?? -1] ?? '') ?? {};
        const custom = (object['custom_fields'] ?? {}) as Json;
        expect([row[latitude ?? -1], row[remarks ?? -1], row[herd ?? -1]]).toEqual(
          [object['latitude'], object['remarks'], custom['herd']].map((value) =>
            typeof value === 'number' ? String(value) : (value ?? ''),
          ),
        );
      }
    }
  });

  test('an export as GeoJSON has a feature of each', async () => {
    const { text: body } = await exported('stranger', 'encounter?format=geojson&terms=dwc');
    const features = at(parsed(body), 'features') as Json[];
    const all = readableBy('stranger', 'encounter');
    expect(features.map((one) => String(one['id'])).sort()).toEqual([...all.keys()].sort());
    for (const { id, geometry, properties } of features) {
      const { latitude = null, longitude, time } = all.get(String(id)) ?? {};
      const point = { type: 'Point', coordinates: [longitude, latitude] };
      expect(geometry).toEqual(latitude === null ? null : point);
      expect((properties as Json)['eventDate']).toBe(time);
    }
  });

  test('an export is cut to the fields that are wanted, in their order', async () => {
    const { text: csv } = await exported(
      'stranger',
      'encounter?format=csv&fields=time,id,latitude',
    );
    const [head, ...rows] = cellsOf(csv);
    expect(head).toEqual(['time', 'id', 'latitude']);
    const all = readableBy('stranger', 'encounter');
    expect(rows).toHaveLength(all.size);
    for (const [time, id] of rows) expect(time).toBe(all.get(String(id))?.['time'] ?? '');
    const { text: terms } = await exported(
      'nobody',
      'encounter?format=csv&terms=dwc&fields=custom_fields,remarks',
    );
    expect(cellsOf(terms)[0]).toEqual([
      ...['custom_fields.herd', 'custom_fields.water_temp', 'custom_fields.seen_on'],
      ...['custom_fields.calf', 'custom_fields.signs', 'occurrenceRemarks'],
    ]);
    const { text: body } = await exported('stranger', 'encounter?format=geojson&fields=time');
    const features = at(parsed(body), 'features') as Json[];
    expect(features.map(({ id }) => String(id)).sort()).toEqual([...all.keys()].sort());
    for (const { id, geometry, properties } of features) {
      const { latitude = null, longitude, time } = all.get(String(id)) ?? {};
      expect(properties).toEqual({ time });
      expect(geometry).toEqual(
        latitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] },
      );
    }
  });

  test('a CSV begins with a byte order mark where one is wanted, and nothing else does', async () => {
    const bytesOf = async (query: string): Promise<Buffer> =>
      (await exported('nobody', `encounter?format=csv${query}`)).bytes;
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);
    expect((await bytesOf('&bom=true')).subarray(0, 6)).toEqual(
      Buffer.concat([mark, Buffer.from('id,')]),
    );
    for (const without of ['', '&bom=false'])
      expect((await bytesOf(without)).subarray(0, 3)).toEqual(Buffer.from('id,'));
  });

  test.each([
    ['format=csv&fields=id,nope', 'fields', 'NOT_ONE_OF'],
    ['format=csv&fields=', 'fields', 'NOT_ONE_OF'],
    ['format=csv&fields=permissions', 'fields', 'NOT_ONE_OF'],
    ['format=dwca&fields=id', 'fields', 'CONFLICT'],
    ['format=csv&bom=1', 'bom', 'NOT_ONE_OF'],
    ['format=geojson&bom=true', 'bom', 'CONFLICT'],
    ['format=csv&expand=true', 'expand', 'UNKNOWN'],
  ])('an export by %s is malformed', async (query, path, key) => {
    const { status, text: refused } = await exported('nobody', `encounter?${query}`);
    const faults = at(parsed(refused), 'response', 'invalid') as Json[];
    expect([status, faults.map((one) => [one['path'], one['key']])]).toEqual([
      400,
      [[path, `API_RESPONSE_${key}`]],
    ]);
  });

  test('an export without a match is the header alone, and a wrong one is malformed', async () => {
    const { text: csv } = await exported(
      'nobody',
      `taxonomy?format=csv&terms=dwc&id=${uuid(0xdead)}`,
    );
    expect(csv).toMatch(/^taxonID,scientificName,[^\n]*\r\n$/);
    const { text: body } = await exported('nobody', `encounter?format=geojson&id=${uuid(0xdead)}`);
    expect(parsed(body)).toEqual({ type: 'FeatureCollection', features: [] });
    const { status, text: refused } = await exported('nobody', 'org?format=geojson&limit=5&nope=1');
    const faults = at(parsed(refused), 'response', 'invalid') as Json[];
    expect([status, faults.map(({ path }) => path)]).toEqual([400, ['format', 'limit', 'nope']]);
  });
}
