/**
 * A Darwin Core archive (https://dwc.tdwg.org/text/), made while it is sent. The core is sent as the objects are read; the
 * rows of the extensions are made of the same objects and kept in temporary files meanwhile, because the files of a zip
 * follow each other. To read all objects once for each table would take longer, and give extensions with rows whose
 * core is not there, or has changed.
 */
import type { Readable } from 'node:stream';
import { rowText } from '../csv';
import { Spool } from '../archive/spool';
import { zipOf } from '../archive/zip';
import type { ExportSource } from '../source';
import { extensionsOf, type Extension } from './extensions';
import { metadataOf, type Rights } from './metadata';
import type { Occurrences } from './occurrences';
import { type ExportedOccurrence } from './occurrences';
import { describe, descriptorOf, type Table, type TermColumn } from './table';
import { termAddress } from './term';

const headOf = (columns: readonly TermColumn<never>[]): string =>
  rowText(columns.map(({ term }) => term));

const linesOf = <R>({ columns }: Table<R>, rows: readonly R[]): string =>
  rows.map((row) => rowText(columns.map(({ value }) => value(row)))).join('');

/** @returns the bytes of the zip; what it keeps is given back when it ends or is destroyed */
export async function darwinCoreArchive(
  source: ExportSource,
  occurrences: Occurrences,
): Promise<Readable> {
  const core: Table<ExportedOccurrence> = {
    file: 'occurrence.csv',
    rowType: termAddress(source.resource.term ?? ''),
    columns: occurrences.columns,
    isCore: true,
    // An encounter without an animal does not exist; texts are in the language of the site.
    constants: { occurrenceStatus: 'present', language: source.site.defaultLanguage },
  };
  const extensions = extensionsOf(source, occurrences);
  const spools: Spool[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(spools.map((spool) => spool.close()));
  };
  try {
    for (let n = 0; n < extensions.length; n += 1) spools.push(await Spool.open());
  } catch (error) {
    await close();
    throw error;
  }
  const licenses = new Licenses(source);
  async function* coreTexts(): AsyncGenerator<string> {
    yield headOf(core.columns);
    for await (const page of source.pages) {
      const rows = await occurrences.complete(page);
      for (const [at, extension] of extensions.entries())
        await spools[at]?.append(linesOf(extension, rows.flatMap(extension.rowsOf)));
      rows.forEach((row) => licenses.add(row));
      yield linesOf(core, rows);
    }
  }
  async function* extensionBytes(
    extension: Extension,
    at: number,
  ): AsyncGenerator<string | Buffer> {
    yield headOf(extension.columns);
    const spool = spools[at];
    if (spool) yield* spool.read();
  }
  const descriptor = descriptorOf(
    [core, ...extensions].map((table) => describe(table as Table<never>)),
  );
  return zipOf(
    [
      { name: 'meta.xml', content: () => once(() => descriptor) },
      { name: core.file, content: coreTexts },
      ...extensions.map((extension, at) => ({
        name: extension.file,
        content: () => extensionBytes(extension, at),
      })),
      // At the end: it says what all records permit.
      { name: 'eml.xml', content: () => once(() => metadataOf(source, licenses.met)) },
    ],
    source.now,
    close,
  );
}

function* once(text: () => string): Generator<string> {
  yield text();
}

/** The licenses of the records. */
class Licenses {
  private readonly found = new Set<unknown>();
  private readonly field;

  constructor({ resource, fieldsOf }: ExportSource) {
    this.field = fieldsOf(resource).find(({ term }) => term === 'license');
  }

  add({ object }: ExportedOccurrence): void {
    this.found.add(object[this.field?.name ?? ''] ?? null);
  }

  get met(): Rights {
    const { found, field } = this;
    const { choices = [], vocabulary = {} } = field ?? {};
    const licenses = choices.filter((one) => found.has(one)).map((one) => vocabulary[one] ?? one);
    return { licenses, isWhole: found.size > 0 && !found.has(null) };
  }
}
