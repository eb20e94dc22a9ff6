import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { temporary } from '../example';
import { useImports, type StoredRow } from './imports';

const CASES = join(__dirname, '../../fixtures/cases');

/** The cases of `tests/fixtures/cases`, whose READMEs say what is right. */
export function testCases(started: () => TestService): void {
  const report = join(temporary, 'cases-report.csv');
  const { run, rows } = useImports(started, report);

  interface Imported {
    readonly encounters: Readonly<Record<string, Json>>;
    /** Faults as `line field reason`. */
    readonly faults: readonly string[];
    readonly individuals: readonly string[];
    readonly taxa: readonly StoredRow[];
    readonly summary: Awaited<ReturnType<typeof run>>;
  }

  const parsed = (value: unknown): Json | null =>
    typeof value === 'string' ? (JSON.parse(value) as Json) : (value as Json | null);

  async function imported(name: string): Promise<Imported> {
    const summary = await run(join(CASES, name), { alwaysReport: true });
    const [encounters, individuals, taxa] = await Promise.all([
      rows('encounters'),
      rows('individuals'),
      rows('taxonomies'),
    ]);
    const names = new Map(taxa.map((taxon) => [taxon.id, taxon.scientific_name]));
    const lines = readFileSync(report, 'utf8').trimEnd().split('\r\n').slice(1);
    return {
      summary,
      taxa,
      faults: lines.map((line) => line.split(',').slice(1).join(' ')),
      individuals: individuals.flatMap((animal) =>
        (parsed(animal.names) as unknown as Json[]).slice(0, 1).map(({ value }) => String(value)),
      ),
      encounters: Object.fromEntries(
        encounters.map((row) => [
          String(row.external_id),
          { ...row, verbatim: parsed(row.verbatim), taxon: names.get(row.taxonomy_id) ?? null },
        ]),
      ),
    };
  }

  const of = ({ encounters }: Imported, field: string): Json =>
    Object.fromEntries(Object.entries(encounters).map(([id, one]) => [id, one[field] ?? null]));

  const verbatim = ({ encounters }: Imported, id: string): Json =>
    (encounters[id]?.['verbatim'] ?? {}) as Json;

  test('all words for absence, and a count of 0, are no encounters', async () => {
    const found = await imported('dwc-absence-words');
    expect(Object.keys(found.encounters)).toEqual(['s12', 's15']);
    expect(found.summary).toMatchObject({ rows: 16, leftOut: { absent: 14 } });
    expect(found.faults.join()).toContain('17 occurrenceStatus is no word for presence or absence');
    expect(verbatim(found, 's15')).toEqual({ occurrenceStatus: 'excluded' });
  });

  test('a basis of record that is not understood is none, and no observation by a person', async () => {
    const found = await imported('dwc-basis-default');
    expect(of(found, 'basis_of_record')).toEqual({
      ...{ b1: 'specimen', b2: 'specimen', b3: null, b4: null, b5: null, b6: 'specimen' },
    });
    expect(found.faults).toHaveLength(2);
    expect(verbatim(found, 'b5')).toEqual({ basisOfRecord: 'Occurrence' });
  });

  test('columns without a field are kept, and named', async () => {
    const found = await imported('dwc-columns-not-read');
    expect(verbatim(found, 'l1')).toEqual({
      habitat: 'oak forest',
      reproductiveCondition: 'lactating',
      establishmentMeans: 'native',
      identifiedBy: 'Roe, A.',
      locality: 'National Park X',
      associatedMedia: 'https://example.org/a.jpg | https://example.org/b.jpg',
    });
    expect(found.summary.verbatim['occurrence.txt']).toMatchObject({ habitat: 1, identifiedBy: 1 });
  });

  test('the parts of a date are read beside another form, and a contradiction is told', async () => {
    const found = await imported('dwc-date-parts-beside-other-form');
    expect(of(found, 'time')).toEqual({
      ...{ a1: '2009-06-16', a2: '2009-06-16', a3: '2009-06', a4: null },
    });
    expect(found.faults).toEqual([
      '5 eventDate "does not agree with year  month and day  and is left out" 2009-06-16',
    ]);
  });

  test('a table of an extension that is missing is a fault', async () => {
    const found = await imported('dwc-extension-file-missing');
    expect(Object.keys(found.encounters)).toEqual(['x1']);
    expect(found.faults).toHaveLength(1);
  });

  test('one name in two kingdoms is two taxa, or the import says that it cannot', async () => {
    const found = await imported('dwc-homonyms');
    const lineOf = (taxon: StoredRow | undefined): unknown[] =>
      taxon
        ? [taxon.scientific_name, ...lineOf(found.taxa.find(({ id }) => id === taxon.parent_id))]
        : [];
    for (const [name, kingdom] of [
      ['Oenanthe oenanthe', 'Animalia'],
      ['Oenanthe crocata', 'Plantae'],
      ['Morus bassanus', 'Animalia'],
      ['Morus alba', 'Plantae'],
    ]) {
      const line = lineOf(found.taxa.find((taxon) => taxon.scientific_name === name));
      expect([name, line.at(-1)]).toEqual([name, kingdom]);
    }
    const genera = found.taxa.filter(({ rank }) => rank === 'genus').length;
    expect([genera, found.summary.taxa.refused]).toEqual([5, 0]);
  });

  test('a name of two kingdoms here, of which the row does not say which, is a fault', async () => {
    await imported('dwc-homonyms');
    const found = await imported('dwc-homonym-without-kingdom/occurrences.csv');
    const parentOf = (id: unknown): unknown =>
      found.taxa.find(({ parent_id: parent, rank }) => parent === id && rank === 'genus');
    const taxonOf = (id: string): unknown => found.encounters[id]?.['taxon'] ?? null;
    expect(['n1', 'n2', 'n3'].map(taxonOf)).toEqual([null, 'Morus', 'Bassaricyon']);
    expect(verbatim(found, 'n1')).toEqual({ scientificName: 'Oenanthe' });
    expect(found.faults).toEqual([
      expect.stringMatching(/^2 \S+ .*is a name in two kingdoms here/) as unknown,
    ]);
    expect(found.summary.taxa).toMatchObject({ created: 0, refused: 0 });
    const moraceae = found.taxa.find(({ scientific_name: name }) => name === 'Moraceae');
    expect(parentOf(moraceae?.id)).toMatchObject({ id: found.encounters['n2']?.['taxonomy_id'] });
  });

  test('the license of a row is never replaced by that of the dataset', async () => {
    const found = await imported('dwc-license-fallback');
    expect(of(found, 'license')).toEqual({ a1: null, a2: null, a3: 'CC0-1.0', a4: null });
    expect(verbatim(found, 'a2')).toEqual({ license: 'All rights reserved' });
    expect(found.faults).toHaveLength(3);
  });

  test('NA is no value in any column', async () => {
    const found = await imported('dwc-na-of-r');
    expect(found.individuals).toEqual(['F12']);
    expect(found.taxa.map(({ scientific_name: name }) => name)).toEqual(['Lynx lynx']);
    expect(JSON.stringify(found.encounters)).not.toContain('"NA"');
    expect(found.summary.faults).toBe(0);
  });

  test.each(['dwc-newline-in-descriptor', 'dwc-short-rows', 'dwc-two-datasets-one-id'])(
    '%s is two encounters',
    async (name) => {
      const { summary } = await imported(name);
      expect([summary.encounters.created, summary.faults]).toEqual([2, 0]);
    },
  );

  test('ends of lines are mixed', async () => {
    const found = await imported('dwc-ok-mixed-ends');
    expect(of(found, 'remarks')).toEqual({ a1: 'two\nlines', a2: 'x', a3: null });
  });

  test('one organism is one animal, however finely it was identified', async () => {
    const found = await imported('dwc-one-animal-three');
    expect(found.individuals).toEqual(['L-01', 'L-02']);
    const animals = of(found, 'individual_id');
    expect(new Set(['o1', 'o2', 'o3', 'o4', 'o5'].map((id) => animals[id])).size).toBe(1);
    expect([animals['o7'], animals['o8']]).toEqual([null, null]);
  });

  test('counts of sexes are the sex of the one that was counted', async () => {
    const found = await imported('dwc-sex-of-one');
    expect(of(found, 'sex')).toEqual({ a1: 'male', a2: 'female', a3: 'female' });
    expect(found.summary.faults).toBe(0);
  });

  test('blanks, authors and qualifiers make no taxa of their own', async () => {
    const found = await imported('dwc-spaces-and-authors');
    const taxa = of(found, 'taxon');
    const named = (...ids: string[]): unknown[] => [...new Set(ids.map((id) => taxa[id]))];
    expect(named('n7', 'n8', 'n9', 'n10', 'n16', 'n17')).toEqual(['Canis lupus']);
    expect(named('n3', 'n4', 'n5', 'n6', 'n15')).toEqual(['Canis']);
    expect(named('n11', 'n12')).toEqual(['Felis silvestris']);
    expect(named('n13', 'n14')).toEqual(['Vulpes vulpes']);
    expect(named('n20', 'n21')).toEqual(['Mus musculus domesticus']);
    expect(named('n19', 'n22')).toEqual([null]);
    expect(verbatim(found, 'n6')['scientificName']).toBe('Canis cf. lupus');
    const canis = found.taxa.filter(({ scientific_name: name }) => name === 'Canis');
    expect(canis.map(({ rank }) => rank)).toEqual(['genus']);
    const wolf = found.taxa.find(({ scientific_name: name }) => name === 'Canis lupus');
    expect(wolf?.authorship).toBe('Linnaeus, 1758');
  });

  test('a swapped position, and one at 0/0, are told', async () => {
    const found = await imported('dwc-swapped-position');
    expect(of(found, 'latitude')).toEqual({ a1: 5.21, a2: null, a3: 50.43 });
    expect(found.faults).toEqual([
      '2 decimalLatitude and longitude lie in BE only when they are swapped 5.21',
      '3 decimalLatitude "is 0  as is the longitude: no position  and left out" 0',
    ]);
    expect(verbatim(found, 'a2')).toEqual({ verbatimLatitude: '0', verbatimLongitude: '0' });
  });

  test('positions in other columns and forms are kept, and countries by name read', async () => {
    const found = await imported('dwc-verbatim-position');
    expect(verbatim(found, 'c0')).toEqual({
      verbatimCoordinates: "51°03'N 3°43'E",
      country: 'Belgium',
    });
    expect(verbatim(found, 'c19')).toHaveProperty('footprintWKT');
    expect(verbatim(found, 'c6')).toMatchObject({
      ...{ verbatimLatitude: '50', verbatimLongitude: '5', geodeticDatum: 'NAD27' },
    });
    const placed = Object.entries(of(found, 'latitude')).filter(([, value]) => value !== null);
    expect(placed.map(([id]) => id)).toEqual(
      expect.arrayContaining(['c5', 'c8', 'c9', 'c10', 'c11', 'c12', 'c13', 'c14', 'c15', 'c18']),
    );
    expect(of(found, 'country_code')).toMatchObject({ c23: 'GB', c24: 'BE', c27: 'KE', c26: null });
    expect(found.faults.join('\n')).toMatch(
      /29 decimalLatitude "and longitude lie in BE {2}and not in KE"/,
    );
  });

  test.each(['ctdp-gz', 'ctdp-profile-main'])('%s is imported', async (name) => {
    const { summary } = await imported(name);
    expect([summary.encounters, summary.faults]).toEqual([
      { created: 2, existing: 0, refused: 0 },
      0,
    ]);
  });

  test('individualID: unknown is nobody, two IDs are a fault, and one is one animal', async () => {
    const found = await imported('ctdp-individual-forms');
    expect([...found.individuals].sort()).toEqual(['12', '12.0', 'F12']);
    const animals = of(found, 'individual_id');
    expect(new Set(['i1', 'i2', 'i3', 'i9', 'i10'].map((id) => animals[id])).size).toBe(1);
    expect([animals['i4'], animals['i5'], animals['i6']]).toEqual([null, null, null]);
    expect(verbatim(found, 'i4')).toMatchObject({ individualID: 'F12|F13' });
    expect(found.faults).toHaveLength(1);
  });
}
