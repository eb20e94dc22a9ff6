/**
 * The core of a Darwin Core archive: a row of each object, with what it refers to by one reference (the animal, its
 * taxon). The columns follow from the terms that the fields declare.
 */
import type { Field } from '../../../plugins/objects/server/declare/completed';
import type { Body } from '../../../plugins/objects/server/declare/objects';
import { present, readReferred, type Referred, type ExportSource } from '../source';
import { Taxa } from '../taxa';
import { isClassTerm, idTermOf } from './term';
import type { TermColumn } from './table';
import { REST, restOf, TERMS, textsOf, verbatimIn } from '../verbatim';
import { idOfAnimal } from './animal';
import { valueOf } from './value';
import { isReference, traitsOf } from '../../../plugins/objects/server/kinds/traits';

/** An object with what it refers to. */
export interface ExportedOccurrence {
  readonly object: Body;
  /** By the name of the field: a single object. */
  readonly referred: Readonly<Record<string, Body | null>>;
  /** Its taxon with all above it, the highest first. */
  readonly taxa: readonly Body[];
  readonly photographs: readonly Body[];
}

/** The ranks that have a term (https://dwc.tdwg.org/terms/#taxon), the highest first. */
const RANKS = [
  ...['kingdom', 'phylum', 'class', 'order', 'superfamily', 'family', 'subfamily', 'tribe'],
  ...['subtribe', 'genus', 'subgenus'],
];

/** The fields of a type that have a term, and are columns: not rows of another table. */
const termFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ term }) => term !== null && !isClassTerm(term));

const withTerm = (fields: readonly Field[], term: string): Field | undefined =>
  fields.find((field) => field.term === term);

/** The field of an object that refers to others, and what is read of them. */
interface Link {
  readonly field: Field;
  readonly fields: readonly Field[];
}

/** The link to taxa: each refers to the one above it, and a synonym to the accepted one. */
interface TaxonLink extends Link {
  readonly above: Field;
  readonly trees: readonly Field[];
}

/** The parts of an occurrence that are read, and its columns. */
export class Occurrences {
  readonly columns: readonly TermColumn<ExportedOccurrence>[];
  /** The fields that are read of each object. */
  readonly fields: readonly Field[];
  readonly media: Link | null;
  /** What imports have kept. */
  readonly verbatim: Field | undefined;
  private readonly links: readonly Link[];
  private readonly toTaxon: TaxonLink | null;
  private readonly taxa: Taxa | null;

  /** @param further what else is read of photographs, beside the fields with terms */
  constructor(
    private readonly source: Omit<ExportSource, 'pages'>,
    further: readonly string[] = [],
  ) {
    const { resource, resources, fieldsOf } = source;
    const own = fieldsOf(resource);
    const linked = ({ to }: Field): readonly Field[] => {
      const target = resources.get(to ?? '');
      return target ? fieldsOf(target) : [];
    };
    const links = own.flatMap((field): Link[] =>
      isReference(field) && resources.get(field.to ?? '')?.term
        ? [{ field, fields: linked(field) }]
        : [],
    );
    const photographs = withTerm(own, 'associatedMedia');
    const shown = photographs ? linked(photographs) : [];
    this.media = photographs
      ? {
          field: photographs,
          fields: shown.filter(
            (field) => termFields([field]).length > 0 || further.includes(field.name),
          ),
        }
      : null;
    this.toTaxon = taxonLink(links);
    this.taxa = this.toTaxon && new Taxa(source, this.toTaxon.trees, this.toTaxon.fields);
    this.links = links.filter(({ field }) => field !== this.toTaxon?.field);
    this.verbatim = verbatimIn(own);
    this.fields = own.filter(
      (field) =>
        field.term !== null ||
        traitsOf(field).isOwnId === true ||
        field.name === TAGS ||
        field === this.verbatim,
    );
    const columns = withoutRepeats([
      ...this.ownColumns(own),
      ...(this.toTaxon ? this.linkedColumns(this.toTaxon) : []),
      ...(this.toTaxon ? this.higherColumns(this.toTaxon) : []),
      ...this.links.flatMap((link) => this.linkedColumns(link)),
    ]);
    this.columns = [...columns.map((column) => this.orVerbatim(column)), ...this.further(columns)];
  }

  /** What a field does not say is what the source of an import said under its term. */
  private orVerbatim(column: TermColumn<ExportedOccurrence>): TermColumn<ExportedOccurrence> {
    const { verbatim } = this;
    if (!verbatim || OF_OURS.has(column.term)) return column;
    const value = (row: ExportedOccurrence): unknown => {
      const own = column.value(row);
      const isNone = !isPresent(own) || own === '' || (Array.isArray(own) && own.length === 0);
      return isNone ? (textsOf(verbatim, row.object)[column.term] ?? own) : own;
    };
    return { ...column, value };
  }

  /** The terms of imports that no field has. */
  private further(
    columns: readonly TermColumn<ExportedOccurrence>[],
  ): TermColumn<ExportedOccurrence>[] {
    const { verbatim } = this;
    if (!verbatim) return [];
    const own = new Set(columns.map(({ term }) => term));
    const terms = TERMS.filter((term) => !own.has(term));
    // The descriptor says the language and the status of all rows.
    const named = new Set([...own, ...terms, 'language', 'occurrenceStatus']);
    return [
      ...terms.map((term): TermColumn<ExportedOccurrence> => ({
        term,
        value: ({ object }) => textsOf(verbatim, object)[term],
      })),
      {
        term: REST,
        value: ({ object }) => restOf(textsOf(verbatim, object), (term) => named.has(term)),
      },
    ];
  }

  /** Reads what these objects refer to. */
  async complete(objects: readonly Body[]): Promise<ExportedOccurrence[]> {
    const { source, links, media, taxa, toTaxon } = this;
    const referred = new Map<string, Referred>();
    for (const { field, fields } of links)
      referred.set(field.name, await readReferred(source, field, termFields(fields), objects));
    if (taxa && toTaxon) await taxa.read(toTaxon.field, objects);
    const photographs = media && (await readReferred(source, media.field, media.fields, objects));
    return objects.map((object) => {
      const taxon = toTaxon && (taxa?.get(object[toTaxon.field.name]) ?? null);
      const linked = links.map(({ field: { name } }): [string, Body | null] => [
        name,
        referred.get(name)?.get(String(object[name])) ?? null,
      ]);
      if (toTaxon) linked.push([toTaxon.field.name, taxon]);
      const assets = media ? ((object[media.field.name] ?? []) as readonly string[]) : [];
      return {
        object,
        referred: Object.fromEntries(linked),
        taxa: toTaxon && taxa ? taxa.lineOf(taxon, toTaxon.above) : [],
        photographs: present(assets.map((id) => photographs?.get(id))),
      };
    });
  }

  private ownColumns(own: readonly Field[]): TermColumn<ExportedOccurrence>[] {
    const latitude = withTerm(own, 'decimalLatitude');
    return [
      {
        term: idTermOf(this.source.resource.term ?? ''),
        value: ({ object }) => object['id'],
      },
      ...termFields(own).flatMap((field): TermColumn<ExportedOccurrence>[] => {
        const term = field.term ?? '';
        if (field === this.media?.field)
          return [{ term, value: (row) => this.addresses(row), isList: true }];
        if (traitsOf(field).ofSite === 'fields')
          return [{ term, value: (row) => this.properties(row, field) }];
        if (isReference(field) && field.to === 'individual')
          return [{ term, value: (row) => idOfAnimal(row, field, this.source) }];
        const value = ({ object }: ExportedOccurrence): unknown =>
          valueOf(field, object[field.name], this.source);
        // One number is both ends of a range.
        const most = term.replace(/^minimum/, 'maximum');
        const isList = isListOf(field);
        return [...new Set([term, most])].map((one) => ({ term: one, value, isList }));
      }),
      {
        term: 'geodeticDatum',
        value: ({ object }) => (isPresent(object[latitude?.name ?? '']) ? WGS_84 : null),
      },
    ];
  }

  private linkedColumns({ field, fields }: Link): TermColumn<ExportedOccurrence>[] {
    return termFields(fields).map((one) => ({
      term: one.term ?? '',
      value: ({ referred }) => valueOf(one, referred[field.name]?.[one.name], this.source),
    }));
  }

  /** The names of the taxa that a taxon refers to, and of those above it. */
  private higherColumns({ field, fields, trees }: TaxonLink): TermColumn<ExportedOccurrence>[] {
    const [name = '', rank = ''] = ['scientificName', 'taxonRank'].map(
      (term) => withTerm(fields, term)?.name,
    );
    return [
      ...trees.map((tree): TermColumn<ExportedOccurrence> => ({
        term: (tree.term ?? '').replace(/ID$/, ''),
        value: ({ referred }) => this.taxa?.get(referred[field.name]?.[tree.name])?.[name],
      })),
      {
        term: 'higherClassification',
        value: ({ taxa }) => taxa.slice(0, -1).map((one) => one[name]),
        isList: true,
      },
      ...RANKS.map((one): TermColumn<ExportedOccurrence> => ({
        term: one,
        value: ({ taxa }) => taxa.find((taxon) => taxon[rank] === one)?.[name],
      })),
    ];
  }

  /** The fields that the site adds, tags, and the names of the taxon in other languages, as JSON. */
  private properties({ object, referred }: ExportedOccurrence, field: Field): string | null {
    const { toTaxon, source } = this;
    const names = toTaxon?.fields.find((one) => traitsOf(one).isTranslated);
    const taxon = toTaxon ? referred[toTaxon.field.name] : null;
    const called = Object.entries((taxon?.[names?.name ?? ''] ?? {}) as Body).filter(
      ([language]) => language !== source.site.defaultLanguage,
    );
    const tags = (object[TAGS] ?? []) as readonly string[];
    return propertiesOf({
      ...(tags.length === 0 ? {} : { tags }),
      ...(called.length === 0 ? {} : { vernacularNames: Object.fromEntries(called) }),
      ...((object[field.name] ?? {}) as Body),
    });
  }

  private addresses({ photographs }: ExportedOccurrence): unknown[] {
    const path = withTerm(this.media?.fields ?? [], 'identifier');
    return path ? photographs.map((one) => valueOf(path, one[path.name], this.source)) : [];
  }
}

/** The datum of all positions (https://dwc.tdwg.org/terms/#dwc:geodeticDatum). */
const WGS_84 = 'EPSG:4326';

/** The field that has no term. */
const TAGS = 'tags';

/** What is never what an import has left out. */
const OF_OURS: ReadonlySet<string> = new Set([
  ...['occurrenceID', 'decimalLatitude', 'decimalLongitude', 'coordinateUncertaintyInMeters'],
  ...['dataGeneralizations', 'identificationVerificationStatus', 'dynamicProperties'],
]);

const isListOf = (field: Field): boolean => {
  const { isTextList, refers } = traitsOf(field);
  return isTextList === true || refers === 'list';
};

const isPresent = (value: unknown): boolean => value !== null && value !== undefined;

function taxonLink(links: readonly Link[]): TaxonLink | null {
  for (const link of links) {
    const above = withTerm(link.fields, 'parentNameUsageID');
    if (above) return { ...link, above, trees: link.fields.filter(({ tree }) => tree) };
  }
  return null;
}

/** The fields that the site adds, as JSON; null where the object has none. */
function propertiesOf(value: unknown): string | null {
  const values = Object.entries((value ?? {}) as Body).filter(([, one]) => one !== null);
  return values.length === 0 ? null : JSON.stringify(Object.fromEntries(values));
}

/** The first column of each term: what an object says itself comes before what it refers to. */
function withoutRepeats(
  columns: readonly TermColumn<ExportedOccurrence>[],
): TermColumn<ExportedOccurrence>[] {
  const byTerm = new Map<string, TermColumn<ExportedOccurrence>>();
  for (const column of columns) if (!byTerm.has(column.term)) byTerm.set(column.term, column);
  return [...byTerm.values()];
}
