/** The settings of the instance. The panel's inputs use this file too: it imports nothing but types. */
import type { SwitchSettings } from './switches';

/** A localized text: BCP 47 tags to texts. */
export type LocalizedText = Readonly<Record<string, string>>;

/** The types of objects that can have further fields. */
export const EXTENSIBLE_TYPES = ['encounter', 'individual'] as const;

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

/** Whether values of a type are among those that the definition lists. */
export const hasOptions = (type: unknown): boolean => type === 'select' || type === 'multiselect';

/** Whether values of a type only say to which of few classes an object belongs. */
export const isClassValue = (type: unknown): boolean => type === 'boolean' || hasOptions(type);

/** A field that the instance adds to one of its types, as on the wire. */
export interface CustomField {
  readonly key: string;
  readonly type: CustomFieldType;
  readonly label: LocalizedText;
  readonly description: LocalizedText | null;
  readonly category: string | null;
  readonly options: readonly { readonly value: string; readonly label: LocalizedText }[];
  readonly required: boolean;
  readonly public_when_obscured: boolean;
  /** Hidden in forms: values stay, and no new ones are taken. */
  readonly retired: boolean;
}

/** West, south, east and north in degrees; west of a box that crosses the date line is greater than east (RFC 7946, section 5). */
export type BoundingBox = readonly [west: number, south: number, east: number, north: number];

export interface Region {
  readonly id: string;
  readonly name: LocalizedText;
  readonly parent: string | null;
  /** Absent from settings that an earlier version stored. */
  readonly bbox?: BoundingBox | null;
}

export const LOCATION_PRIVACIES = ['open', 'obscured', 'private'] as const;
export type LocationPrivacy = (typeof LOCATION_PRIVACIES)[number];

/** What strangers are told of an encounter that is not open: its place, its photographs, or both. */
export const HIDDEN_TELLS = ['place', 'picture', 'both'] as const;
export type HiddenTells = (typeof HIDDEN_TELLS)[number];

/** When strangers are told of what is not open: on the first of a month or year, or at once. */
export const TELL_HIDDEN = ['monthly', 'at_once'] as const;
export type TellHidden = (typeof TELL_HIDDEN)[number];

/** The settings that decide what strangers are told of encounters and individuals. */
export interface PrivacySettings {
  readonly defaultLocationPrivacy: LocationPrivacy;
  /** Whether what is not identified down to open taxa alone is obscured. */
  readonly protectUnidentified: boolean;
  readonly hiddenTells: HiddenTells;
}

/** The same for settings that decide alike. */
export const privacyKey = (site: PrivacySettings): string =>
  `${site.defaultLocationPrivacy} ${site.protectUnidentified} ${site.hiddenTells}`;

/** The settings in the form that the service uses. Names and values are those of the wire, in camelCase. */
export interface SiteSettings extends SwitchSettings, PrivacySettings {
  readonly version: number;
  readonly siteName: LocalizedText | null;
  /** The fields that the instance adds, by type. */
  readonly customFields: Readonly<Record<string, readonly CustomField[]>>;
  readonly regions: readonly Region[];
  readonly reviewEncounters: boolean;
  readonly tellHidden: TellHidden;
  /** Bytes of the largest file that may be uploaded. */
  readonly maxUploadBytes: number;
  /** To log in. */
  readonly requireVerifiedEmail: boolean;
  /** Whether there is an administrator. */
  readonly initialized: boolean;
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly defaultLanguage: string;
  /** Where links in mails lead; null for what the environment says. */
  readonly frontendUrl: string | null;
  /** Paths of assets by names. */
  readonly media: Readonly<Record<string, string>>;
  /** Origins of further frontends that may call with credentials. */
  readonly allowedOrigins: readonly string[];
  /** The sender of mails; null for one of the service's own host. */
  readonly mailFrom: string | null;
}

/** Until they have been read: what a new instance begins with. */
export const DEFAULT_SITE: SiteSettings = {
  version: 0,
  siteName: null,
  customFields: {},
  regions: [],
  reviewEncounters: false,
  defaultLocationPrivacy: 'open',
  protectUnidentified: true,
  tellHidden: 'monthly',
  hiddenTells: 'place',
  showOwnerWhenHidden: false,
  readers: 'anyone',
  anonymousEncounters: false,
  registrationOpen: true,
  requireVerifiedEmail: false,
  initialized: false,
  languages: ['en'],
  defaultLanguage: 'en',
  maxUploadBytes: 25 * 1024 * 1024,
  frontendUrl: null,
  media: {},
  allowedOrigins: [],
  mailFrom: null,
};

/** The type of the settings on the wire, and the ID of its one object. */
export const SITE_TYPE = 'site_settings';
export const SITE_ID = '5173e5e7-7125-4000-8000-000000000001';

/** The same of Strapi. */
export const SITE_UID = 'api::site-settings.site-settings';
