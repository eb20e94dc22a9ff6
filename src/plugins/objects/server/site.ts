/** The settings of the instance that the objects obey. Until they are stored, their defaults. */
import type { Core } from '@strapi/strapi';

/** A localized text: BCP 47 tags to texts. */
export type LocalizedText = Readonly<Record<string, string>>;

export const CUSTOM_FIELD_TYPES = [
  'string',
  'number',
  'integer',
  'boolean',
  'date',
  'select',
  'multiselect',
] as const;
export type CustomFieldType = (typeof CUSTOM_FIELD_TYPES)[number];

export interface CustomField {
  readonly key: string;
  readonly type: CustomFieldType;
  readonly label: LocalizedText;
  readonly options?: readonly { readonly value: string; readonly label: LocalizedText }[];
  readonly required?: boolean;
}

export interface Region {
  readonly id: string;
  readonly name: LocalizedText;
  readonly parent?: string | null;
}

export const LOCATION_PRIVACIES = ['open', 'obscured', 'private'] as const;
export type LocationPrivacy = (typeof LOCATION_PRIVACIES)[number];

export interface SiteSettings {
  /** The fields that the instance adds, by type. */
  readonly customFields: Readonly<Record<string, readonly CustomField[]>>;
  readonly regions: readonly Region[];
  readonly reviewEncounters: boolean;
  readonly defaultLocationPrivacy: LocationPrivacy;
}

export const DEFAULT_SITE: SiteSettings = {
  customFields: {},
  regions: [],
  reviewEncounters: false,
  defaultLocationPrivacy: 'open',
};

/** The settings as they are now: the defaults, and what the boot was given over them. */
export const siteSettings = (strapi: Core.Strapi): SiteSettings => ({
  ...DEFAULT_SITE,
  ...strapi.config.get<Partial<SiteSettings>>('oms.site', {}),
});
