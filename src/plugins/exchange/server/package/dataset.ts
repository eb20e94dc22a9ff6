/** The contents of a package, whichever standard it follows, as an import writes them. */
import type { Field } from '../../../objects/server/declare/completed';
import type { Body } from '../../../objects/server/declare/objects';
import type { ImportJob } from '../import/summary';
import type { Fault, Origin, ValuePlace } from './fault';
import type { TaxaPlan, TaxonPlan } from './taxa';

/** A field of an encounter, as far as an import needs to know it. */
export type ImportedField = Pick<
  Field,
  'name' | 'kind' | 'term' | 'choices' | 'min' | 'max' | 'derived' | 'maxLength' | 'maxItems'
>;

/** The fields of the encounters of a site. */
export interface SiteFields {
  /** Those of the declaration, by name. */
  readonly declared: ReadonlyMap<string, ImportedField>;
  /** The keys of those that the site settings add. */
  readonly custom: ReadonlySet<string>;
  /** The keys of its regions. */
  readonly regions: ReadonlySet<string>;
}

/** A package whose metadata has been read. */
export interface Dataset {
  /** The source of its records. */
  readonly source: string;
  /** The kinds of rows that are no encounters. */
  readonly leftOut: readonly string[];
  /** The invalid parts of its metadata, which are left out. */
  readonly faults: readonly Fault[];
  /** The files with rows of which several encounters are made: a fault in one is reported once. */
  readonly sharedFiles: readonly string[];
  /**
   * Reads all records into a staging, and reports invalid ones. Nothing is written to the service yet, so that a damaged
   * package leaves nothing there. The caller closes the staging.
   *
   * @throws PackageError when a table cannot be read
   */
  stage(job: ImportJob, site: SiteFields): Promise<StagedRecords>;
}

export interface StagedRecords {
  /** The number of encounters, and of rows that are merged into another one's encounter. */
  count(): { readonly encounters: number; readonly merged: number };
  /** All taxa that the drafts name. */
  taxa(): TaxaPlan;
  /** The encounters to be created. */
  drafts(): Iterable<Draft>;
  /** The photographs in the package; null if it has none. The caller closes them. */
  photographs(job: ImportJob): Promise<PackagePhotographs | null>;
  close(): void;
}

/** An encounter to be created. */
export interface Draft {
  /** Its fields by their wire names, without references to other objects. Unknown fields are absent. */
  readonly body: Body;
  /** A key of `TaxaPlan.byKey`; null for an unnamed animal. */
  readonly taxon: string | null;
  readonly organism: KnownOrganism | null;
  readonly origin: Origin;
  /** The column of a field, for the report. */
  readonly placeOf: (field: string) => ValuePlace;
}

/** The individual of an encounter, as the package identifies it. */
export interface Organism {
  /** Unique in its source. */
  readonly id: string;
  /** What it is called, besides. */
  readonly name: string | null;
  readonly remarks: string | null;
  /** The column of the ID. */
  readonly column: string;
}

/** An individual by all of its records. */
export interface KnownOrganism extends Organism {
  /** Whether its name is enough to know it again: its ID is none that people use. */
  readonly isNamed: boolean;
  /** The finest taxon that all records agree with. */
  readonly taxon: TaxonPlan | null;
}

/** The photographs of a package, by encounter. */
export interface PackagePhotographs {
  readonly count: number;
  byEncounter(): Iterable<EncounterPhotographs>;
  /** Records the asset of a photograph, which may be of several encounters. */
  keep(photograph: Photograph, asset: string): void;
  close(): void;
}

export interface EncounterPhotographs {
  readonly source: string;
  readonly externalId: string;
  /** In their order; computed when it is called. */
  photographs(): readonly { readonly photograph: Photograph; readonly asset: string | null }[];
}

/** An image file in the package. */
export interface Photograph {
  /** Unique among the photographs. */
  readonly id: string;
  /** Relative to the descriptor. */
  readonly path: string;
  /** Fields of the asset besides its owner. */
  readonly body: Body;
  readonly place: ValuePlace;
}
