/** What the page reads of the interface (`docs/openapi.json`), as far as it is used here. */

/** A text by language tags. */
export type Localized = Readonly<Record<string, string>>;

export type RecordState = 'pending' | 'approved' | 'rejected';

/** The fields of an encounter that the page shows and edits. */
export interface Editable {
  readonly taxonomy: string | null;
  readonly individual: string | null;
  readonly time: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly locality: string | null;
  readonly group_size: number | null;
  readonly remarks: string | null;
}

export interface Encounter extends Editable {
  readonly id: string;
  readonly version: number;
  readonly state: RecordState;
  readonly review_note: string | null;
  readonly owner: string | null;
  readonly submitter_email: string | null;
  readonly event_id: string | null;
  readonly coordinate_uncertainty: number | null;
  readonly level: 'open' | 'obscured' | 'private' | null;
  readonly told_from: string | null;
  readonly assets: readonly string[];
  readonly created_at: string;
}

export interface Taxon {
  readonly id: string;
  readonly scientific_name: string | null;
  readonly rank: string | null;
  readonly vernacular_names: Localized | null;
}

export interface Individual {
  readonly id: string;
  readonly name?: string | null;
  readonly display_name?: string | null;
  readonly sex: string | null;
  readonly taxonomy: string | null;
  readonly photo_id?: string | null;
  readonly last_seen?: string | null;
  readonly encounter_count?: number;
}

/** A photograph. */
export interface Asset {
  readonly id: string;
  readonly filename: string | null;
  readonly sha256: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly camera: string | null;
  readonly taken_at: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

export interface Person {
  readonly id: string;
  readonly display_name: string;
}

/** What answers refer to, by type and ID. */
export interface IncludedRecords {
  readonly taxonomy?: Readonly<Record<string, Taxon>>;
  readonly individual?: Readonly<Record<string, Individual>>;
  readonly user?: Readonly<Record<string, Person>>;
}

export interface FoundRecords<T> {
  readonly total?: number;
  readonly total_is_exact?: boolean;
  readonly next: string | null;
  readonly objects: readonly T[];
  readonly included?: IncludedRecords;
}

export interface PastChange {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly name: string | null };
  readonly changes: readonly {
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

/** A note that is offered for a rejection. */
export interface CannedNote {
  readonly title: string;
  readonly text: string;
}

/** The same, as the settings of the site have it. */
export interface SiteNote {
  readonly title: Localized;
  readonly text: Localized;
}
