/** What an export reads: the objects of a search as their caller sees them, and what they refer to. */
import type { Caller } from '../../core/caller';
import type { Field, Resource, Resources } from '../../plugins/objects/server/declare/completed';
import { referredIds } from '../../plugins/objects/server/kinds';
import type { SiteSettings } from '../../plugins/objects/server/site/settings';
import type { Body } from '../../plugins/objects/server/declare/objects';
import type { Objects } from '../../plugins/objects/server/types';

/** The objects that are found, page by page. */
export type Pages = AsyncIterable<readonly Body[]>;

export interface ExportSource {
  readonly resource: Resource;
  readonly resources: Resources;
  readonly objects: Pick<Objects, 'parts'>;
  readonly caller: Caller;
  readonly site: SiteSettings;
  /** As anybody may read them. */
  readonly publicSite: Body;
  /** Where the service is reached: `https://api.example.org`. */
  readonly publicUrl: string;
  /** The fields of a type that the caller is shown of any object at all. */
  readonly fieldsOf: (resource: Resource) => readonly Field[];
  readonly pages: Pages;
  /** When the export begins. */
  readonly now: Date;
}

export type Referred = ReadonlyMap<string, Body>;

/** The objects that a field of these refers to, as far as the caller may read them, by their IDs. */
export function readReferred(
  { objects, caller }: Omit<ExportSource, 'pages'>,
  field: Field,
  fields: readonly Field[],
  of: readonly Body[],
): Promise<Referred> {
  const ids = new Set(
    of.flatMap((object) => referredIds(field, object[field.name]).map(({ id }) => id)),
  );
  const names = fields.map(({ name }) => name);
  return ids.size === 0 || field.to === null
    ? Promise.resolve(new Map())
    : objects.parts(field.to, [...ids], caller, names);
}

/** Those that are there. */
export const present = <T>(values: readonly (T | null | undefined)[]): T[] =>
  values.filter((value): value is T => value !== null && value !== undefined);

/** A text in the language of the site; null without one. */
export const localText = (value: unknown, { defaultLanguage }: SiteSettings): string | null =>
  ((value ?? {}) as Readonly<Record<string, string>>)[defaultLanguage] ?? null;

/** A text in the language of the site, else in any. */
export const anyText = (texts: unknown, site: SiteSettings): string | null =>
  localText(texts, site) ??
  Object.values((texts ?? {}) as Readonly<Record<string, string>>)[0] ??
  null;

/** What this instance is called. */
export const nameOf = ({
  publicSite,
  publicUrl,
  site,
}: Pick<ExportSource, 'publicSite' | 'publicUrl' | 'site'>): string =>
  anyText(publicSite['site_name'], site) ?? new URL(publicUrl).host;
