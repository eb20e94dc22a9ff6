import { appendFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportService } from '#app/plugins/exchange/server';
import { PackageError } from '#app/plugins/exchange/server/package/fault';
import { asObject, at, parsed, type Json } from '../../helpers/json';
import { bytesOfText } from '../../helpers/text-bytes';
import type { World } from '../../helpers/world';
import { rewrite, temporary } from '../../import/example';
import { byteSize, stored, type Door, type Taken } from './door';

const DWC = 'http://rs.tdwg.org/dwc/terms/';
const TERMS = ['occurrenceID', 'scientificName', 'eventDate', 'locality', 'habitat', 'behavior'];

/** Bytes of a cell: nearly the longest record. */
const ROOM = 250_000;

let made = 0;
/** An ID that no record has. */
const next = (): string => `door-${(made += 1)}`;

const cell = (text: string): Buffer => bytesOfText(`"${text.replaceAll('"', '""')}"`);

/** An archive of one record. @returns its folder */
function archiveOf(
  record: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>> = {},
): string {
  const folder = join(mkdtempSync(join(temporary, 'door-')), next());
  mkdirSync(folder);
  const fields = TERMS.map((term, at) => `<field index="${at}" term="${DWC}${term}"/>`).join('');
  const further = Object.entries(defaults)
    .map(([term, text]) => `<field default="${text}" term="${DWC}${term}"/>`)
    .join('');
  writeFileSync(
    join(folder, 'meta.xml'),
    bytesOfText(`<archive xmlns="http://rs.tdwg.org/dwc/text/"><core encoding="UTF-8" rowType="${DWC}Occurrence"
      fieldsTerminatedBy="," linesTerminatedBy="\\n" fieldsEnclosedBy="&quot;" ignoreHeaderLines="1">
      <files><location>o.csv</location></files><id index="0"/>${fields}${further}</core></archive>`),
  );
  const cells = TERMS.flatMap((term, at) => [
    Buffer.from(at === 0 ? '' : ','),
    cell(record[term] ?? ''),
  ]);
  writeFileSync(
    join(folder, 'o.csv'),
    Buffer.concat([Buffer.from(`${TERMS.join(',')}\n`), ...cells, Buffer.from('\n')]),
  );
  return folder;
}

const CAMTRAP = join(__dirname, '../../fixtures/cases/ctdp-profile-main');

/** A copy of a small package of Camtrap DP. @returns its folder */
function camtrapCopy(): string {
  const folder = join(mkdtempSync(join(temporary, 'door-')), 'package');
  cpSync(CAMTRAP, folder, { recursive: true });
  return folder;
}

const nameOf = ({ scientific_name: name }: Json): unknown => name;

/** Blanks are between the words of a name, of which the first one is capitalized. */
const isName: Door['keeps'] = (text, kept) =>
  String(kept).toLowerCase() === stored(text).replace(/\s+/gu, ' ').toLowerCase();

/** Tables and descriptors that are imported. */
export function importDoors(world: () => World): Door[] {
  const knex = () => world().service.strapi.db.connection;

  /** What an import tells, and what is then found. */
  async function imported(folder: string, found: () => Promise<unknown>): Promise<Taken> {
    const imports = world().service.strapi.plugin('exchange').service<ImportService>('import');
    try {
      const { faults } = await imports.run(folder, { report: join(temporary, `${next()}.csv`) });
      return { status: faults > 0 ? 400 : 200, kept: await found() };
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      return { status: 400, kept: null };
    }
  }
  const encounter = async (id: string): Promise<Json> =>
    asObject((await knex()('encounters').where({ external_id: id }).first<unknown>()) ?? {});
  const json = (value: unknown): unknown => (typeof value === 'string' ? parsed(value) : value);

  const door = (
    name: string,
    send: (text: string) => Promise<Taken>,
    more: Partial<Door> = {},
  ): Door => ({ name, room: ROOM, sizeOf: byteSize, storesRest: true, send, ...more });

  const core = (term: string, found: (row: Json) => unknown): Door =>
    door(`${term} of a table of Darwin Core`, async (text) => {
      const id = next();
      const record = { occurrenceID: id, eventDate: '2020-05-01', [term]: text };
      return imported(archiveOf(record), async () => found(await encounter(id)) ?? null);
    });

  /** Imports a package, and finds the taxon that has come last by it. */
  async function importedTaxon(folder: string, found: (taxon: Json) => unknown): Promise<Taken> {
    const latest = async (): Promise<Json> =>
      asObject((await knex()('taxonomies').orderBy('id', 'desc').first<unknown>()) ?? {});
    const { id: before } = await latest();
    return imported(folder, async () => {
      const taxon = await latest();
      return taxon['id'] === before ? null : (found(taxon) ?? null);
    });
  }

  /** A package of Camtrap DP, in whose descriptor there is this taxon. */
  const described = (one: Json): string => {
    const folder = camtrapCopy();
    rewrite(folder, 'datapackage.json', (text) => {
      const descriptor = asObject(parsed(text));
      const taxonomic = [one, ...(descriptor['taxonomic'] as Json[])];
      return JSON.stringify({ ...descriptor, taxonomic });
    });
    return folder;
  };

  return [
    core('locality', ({ locality }) => locality),
    core('behavior', ({ behavior }) => behavior),
    {
      ...core('habitat', ({ verbatim }) => at(json(verbatim), 'habitat')),
      // In `verbatim` a character that no text may have is U+FFFD.
      keepsRefused: (text, kept) =>
        String(kept).replace(/\ufffd+/g, '?') === stored(text.replace(/[\0\p{Cs}]+/gu, '?')),
    },
    door(
      'a scientific name of a table of Darwin Core',
      (text) =>
        importedTaxon(
          archiveOf({ occurrenceID: next(), eventDate: '2020-05-01', scientificName: text }),
          nameOf,
        ),
      { keeps: isName },
    ),
    door('a default of a descriptor of Darwin Core', async (text) => {
      const id = next();
      const folder = archiveOf(
        { occurrenceID: id, eventDate: '2020-05-01' },
        { samplingProtocol: text },
      );
      return imported(folder, async () => (await encounter(id))['sampling_protocol'] ?? null);
    }),
    door('a cell of Camtrap DP', async (text) => {
      const id = next();
      const folder = camtrapCopy();
      const row = `${id},d1,,${id},2021-03-05T10:00:00+01:00,2021-03-05T10:00:10+01:00,event,animal,Lynx lynx,1,,,`;
      appendFileSync(
        join(folder, 'observations.csv'),
        Buffer.concat([Buffer.from(row), cell(text), Buffer.from(',,,\n')]),
      );
      return imported(folder, async () => (await encounter(id))['behavior'] ?? null);
    }),
    door(
      'a scientific name in JSON of Camtrap DP',
      (text) => importedTaxon(described({ scientificName: text }), nameOf),
      { keeps: isName },
    ),
    door('a vernacular name in JSON of Camtrap DP', (text) =>
      importedTaxon(
        described({ scientificName: `Nomen ${next()}`, vernacularNames: { eng: text } }),
        ({ vernacular_names: names }) => at(json(names), 'en'),
      ),
    ),
    door('a language in JSON of Camtrap DP', (text) =>
      importedTaxon(
        described({ scientificName: `Nomen ${next()}`, vernacularNames: { [text]: 'x' } }),
        ({ vernacular_names: names }) => Object.keys(asObject(json(names) ?? {}))[0],
      ),
    ),
  ];
}
