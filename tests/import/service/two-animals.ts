import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anonymous, local, service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { EXAMPLE, temporary } from '../example';
import { useImports } from './imports';

const STRANGER = local(anonymous('anonymous'));
const SERENGETI = join(EXAMPLE, '..', 'serengeti-photos');

/** A package with one photograph, which shows a rhinoceros and a zebra. */
function packageOfTwo(): string {
  const folder = join(mkdtempSync(join(temporary, 'two-animals-')), 'package');
  cpSync(SERENGETI, folder, { recursive: true });
  const keep = (
    table: string,
    rows: (header: string, first: string) => readonly string[],
  ): void => {
    const path = join(folder, table);
    const [header = '', first = ''] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${[header, ...rows(header, first)].join('\n')}\n`);
  };
  keep('media.csv', (_, first) => [first]);
  keep('observations.csv', (_, first) =>
    ['Equus quagga', 'Diceros bicornis'].map((name, n) =>
      first.replace(/^[^,]*/, `two-${n}`).replace(/Phacochoerus africanus/, name),
    ),
  );
  return folder;
}

/** An import of an event in which a protected animal and an open one share a photograph. */
export function testTwoAnimals(started: () => TestService): void {
  const { run } = useImports(started, join(temporary, 'report.csv'));
  const objects = () => objectsOf(started().strapi);
  const told = async (id: string): Promise<Json> =>
    asObject(parsed((await objects().read('encounter', id, STRANGER)).text));
  const idOf = (externalId: string, source: string): Promise<string | null> =>
    objects().findUnique('encounter', { source, external_id: externalId });

  test('tells no photograph of either, at no moment', async () => {
    const rhino = await objects().write(
      {
        ...{ op: 'create', type: 'taxonomy' },
        body: { scientific_name: 'Diceros bicornis', location_privacy: 'obscured' },
      },
      itself,
    );
    const meanwhile: Promise<Json>[] = [];
    let isHearing = true;
    const hear = (type: string, id: string): void => {
      if (isHearing && type === 'encounter') meanwhile.push(told(id));
    };
    objects().onWritten(hear);
    const { source, encounters, photographs } = await run(packageOfTwo());
    isHearing = false;
    expect([encounters.created, photographs.created]).toEqual([2, 1]);
    const [zebraId, rhinoId] = [await idOf('two-0', source), await idOf('two-1', source)];
    const [zebra, hidden] = [await told(zebraId ?? ''), await told(rhinoId ?? '')];
    expect([zebra['generalized'], zebra['assets']]).toEqual([null, []]);
    expect(zebra['latitude']).not.toBeUndefined();
    expect([hidden['generalized'], hidden['assets'], hidden['taxonomy']]).toEqual([
      'obscured',
      [],
      rhino.id,
    ]);
    // Both have it: it is not told, and not lost.
    const stored = await Promise.all(
      [zebraId, rhinoId].map(async (id) => {
        const { text } = await objects().read('encounter', id ?? '', local(anonymous('moderator')));
        return at(parsed(text), 'assets') as readonly string[];
      }),
    );
    expect(stored[0]).toHaveLength(1);
    expect(stored[1]).toEqual(stored[0]);
    const asset = stored[0]?.[0] ?? '';
    const found = await objects().find('encounter', new Map([['assets', asset]]), STRANGER);
    expect(found.ids).toEqual([]);
    const seen = await Promise.all(meanwhile);
    expect(seen.length).toBeGreaterThan(2);
    for (const one of seen) expect(one['assets']).toEqual([]);
    for (const one of seen.filter(({ taxonomy }) => taxonomy === rhino.id))
      expect(one['generalized']).toBe('obscured');
  });
}
