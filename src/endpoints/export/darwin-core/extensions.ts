/** The further tables of a Darwin Core archive: rows that belong to one of the core. */
import type { Field } from '../../../plugins/objects/server/declare/completed';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import type { ExportSource } from '../source';
import type { ExportedOccurrence, Occurrences } from './occurrences';
import type { Table, TermColumn } from './table';
import { termAddress, idTermOf } from './term';
import { photographsElsewhere, textsOf } from '../verbatim';
import { valueOf } from './value';
import { traitsOf } from '../../../plugins/objects/server/kinds/traits';

/** A value that was measured, or a photograph, with the ID of its occurrence. */
export interface ExtensionRow {
  readonly of: unknown;
  /** From 1. */
  readonly number: number;
  readonly body: Body;
}

export interface Extension extends Table<ExtensionRow> {
  readonly rowsOf: (occurrence: ExportedOccurrence) => readonly ExtensionRow[];
}

/** https://rs.gbif.org/extension/gbif/1.0/multimedia.xml */
const MULTIMEDIA = 'http://rs.gbif.org/terms/1.0/Multimedia';

/** Of what is measured, by the names in a value of that kind. */
const MEASURED = { type: 'measurementType', value: 'measurementValue', unit: 'measurementUnit' };

const partsOf = ({ object }: ExportedOccurrence, bodies: readonly Body[]): ExtensionRow[] =>
  bodies.map((body, at) => ({ of: object['id'], number: at + 1, body }));

/** The extensions that a type has by its fields. */
export function extensionsOf(
  source: Omit<ExportSource, 'pages'>,
  { fields, media, verbatim }: Pick<Occurrences, 'fields' | 'media' | 'verbatim'>,
): Extension[] {
  const coreid: TermColumn<ExtensionRow> = {
    term: idTermOf(source.resource.term ?? ''),
    value: ({ of }) => of,
  };
  const measured = fields.filter((field) => traitsOf(field).isMeasured);
  return [
    ...measured.map((field) => measurements(field, coreid)),
    ...(media ? [photographs(media.fields, coreid, source, verbatim)] : []),
  ];
}

const measurements = ({ name, term }: Field, coreid: TermColumn<ExtensionRow>): Extension => ({
  file: 'measurementorfact.csv',
  rowType: termAddress(term ?? ''),
  isCore: false,
  constants: {},
  columns: [
    coreid,
    // It is not stored: the occurrence and the place in its list.
    { term: 'measurementID', value: ({ of, number }) => `${String(of)}:${number}` },
    ...Object.entries(MEASURED).map(([key, one]): TermColumn<ExtensionRow> => ({
      term: one,
      value: ({ body }) => body[key],
    })),
  ],
  rowsOf: (occurrence) => partsOf(occurrence, (occurrence.object[name] ?? []) as readonly Body[]),
});

const photographs = (
  fields: readonly Field[],
  coreid: TermColumn<ExtensionRow>,
  source: Omit<ExportSource, 'pages'>,
  verbatim: Field | undefined,
): Extension => ({
  file: 'multimedia.csv',
  rowType: MULTIMEDIA,
  isCore: false,
  // No format: the original has one, what others are given of it has another one.
  constants: { type: 'StillImage' },
  columns: [
    coreid,
    ...fields
      .filter(({ term }) => term !== 'modified')
      .map((field): TermColumn<ExtensionRow> => ({
        term: field.term ?? '',
        value: ({ body }) =>
          ELSEWHERE in body
            ? (body[ELSEWHERE] as Readonly<Record<string, string>>)[field.term ?? '']
            : valueOf(field, body[field.name], source),
      })),
  ],
  // Those that an import has not fetched are told by their addresses.
  rowsOf: (occurrence) =>
    partsOf(occurrence, [
      ...occurrence.photographs,
      ...photographsElsewhere(textsOf(verbatim, occurrence.object)).map(({ address, cells }) => ({
        [ELSEWHERE]: { ...cells, identifier: address },
      })),
    ]),
});

/** No field has this name: cells by their terms. */
const ELSEWHERE = '@elsewhere';
