/** The formats of exports. */
import { Readable } from 'node:stream';
import type { Field, Resource } from '../../plugins/objects/server/declare/completed';
import { positionOf } from '../../plugins/objects/server/declare/position';
import { camtrapPackage } from './camtrap-dp/package';
import { columnsOf, type ExportColumn, type Terms } from './columns';
import { csvHead, csvLines } from './csv';
import { darwinCoreArchive } from './darwin-core/archive';
import { Occurrences } from './darwin-core/occurrences';
import { GEOJSON_HEAD, GEOJSON_TAIL, geojsonFeatures } from './geojson';
import type { ExportSource } from './source';

/** How an export is written. */
export interface Format {
  readonly mediaType: string;
  readonly extension: string;
  /** Whether a type can be exported so. */
  readonly suits: (resource: Resource) => boolean;
  /** What is read of each object, and the bytes that are made of it. Nothing is read before they are asked for. */
  readonly plan: (source: Omit<ExportSource, 'pages'>, options: Options) => ExportPlan;
  /** Whether it has a column, or a property, for each field: it can be cut to some of them. */
  readonly isTable?: true;
}

/** How a table is written. */
export interface Options {
  readonly terms: Terms;
  /** The names of the fields that it has; null for all. */
  readonly fields: readonly string[] | null;
  /** Whether it begins with a byte order mark. */
  readonly bom: boolean;
}

/** U+FEFF, as the first character of a file. */
const BYTE_ORDER_MARK = '\uFEFF';

export interface ExportPlan {
  readonly fields: readonly Field[];
  readonly write: (pages: ExportSource['pages']) => Readable | Promise<Readable>;
}

const csv: Format = {
  mediaType: 'text/csv; charset=utf-8',
  extension: 'csv',
  suits: () => true,
  isTable: true,
  plan: (source, options) => {
    const { fields, columns } = columnsFor(source, options);
    async function* texts(pages: ExportSource['pages']): AsyncGenerator<string> {
      yield `${options.bom ? BYTE_ORDER_MARK : ''}${csvHead(columns)}`;
      for await (const page of pages) yield csvLines(columns, page);
    }
    return { fields, write: (pages) => Readable.from(texts(pages)) };
  },
};

const geojson: Format = {
  mediaType: 'application/geo+json',
  extension: 'geojson',
  suits: (resource) => positionOf(resource) !== null,
  isTable: true,
  plan: (source, options) => {
    const { fields: shown, columns } = columnsFor(source, options);
    // A feature has its ID and its place, whatever its properties are.
    const placing = new Set(['id', ...(positionOf(source.resource) ?? []).map(({ name }) => name)]);
    const further = source.fieldsOf(source.resource).filter(({ name }) => placing.has(name));
    const fields = [...new Set([...shown, ...further])];
    async function* texts(pages: ExportSource['pages']): AsyncGenerator<string> {
      yield GEOJSON_HEAD;
      let isFirst = true;
      for await (const page of pages) {
        yield geojsonFeatures(columns, page, isFirst);
        isFirst &&= page.length === 0;
      }
      yield GEOJSON_TAIL;
    }
    return { fields, write: (pages) => Readable.from(texts(pages)) };
  },
};

const dwca: Format = {
  mediaType: 'application/zip',
  extension: 'dwca.zip',
  suits: ({ term }) => term === 'Occurrence',
  plan: (source) => {
    const occurrences = new Occurrences(source);
    return {
      fields: occurrences.fields,
      write: (pages) => darwinCoreArchive({ ...source, pages }, occurrences),
    };
  },
};

const camtrapDp: Format = {
  mediaType: 'application/zip',
  extension: 'camtrap-dp.zip',
  suits: dwca.suits,
  plan: (source) => {
    const occurrences = new Occurrences(source, ['id', 'mime_type', 'withheld']);
    const tags = source.fieldsOf(source.resource).filter(({ name }) => name === 'tags');
    const fields = [...occurrences.fields, ...tags];
    return { fields, write: (pages) => camtrapPackage({ ...source, pages }, occurrences, fields) };
  },
};

/** By the values of the parameter `format`. */
export const EXPORT_FORMATS: Readonly<Record<string, Format>> = {
  csv,
  geojson,
  dwca,
  camtrap_dp: camtrapDp,
};

/** The names of the formats in which a type can be exported. */
export const formatsOf = (resource: Resource): string[] =>
  Object.keys(EXPORT_FORMATS).filter((name) => EXPORT_FORMATS[name]?.suits(resource));

function columnsFor(
  { resource, site, fieldsOf }: Omit<ExportSource, 'pages'>,
  { terms, fields: wanted }: Options,
): { readonly fields: readonly Field[]; readonly columns: readonly ExportColumn[] } {
  const all = fieldsOf(resource);
  const fields = wanted?.flatMap((name) => all.find((field) => field.name === name) ?? []) ?? all;
  return {
    fields,
    columns: columnsOf(resource, fields, site.customFields[resource.type] ?? [], terms),
  };
}
