/** The settings of the instance. */
import type { Core, UID } from '@strapi/strapi';
import type { SwitchSettings } from './rights/switches';

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

export interface SiteSettings extends SwitchSettings {
  /** The fields that the instance adds, by type. */
  readonly customFields: Readonly<Record<string, readonly CustomField[]>>;
  readonly regions: readonly Region[];
  readonly reviewEncounters: boolean;
  readonly defaultLocationPrivacy: LocationPrivacy;
  /** Bytes of the largest file that may be uploaded. */
  readonly maxUploadBytes: number;
  /** To log in. */
  readonly requireVerifiedEmail: boolean;
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly defaultLanguage: string;
  /** Where links in mails lead; null for what the environment says. */
  readonly frontendUrl: string | null;
  /** Origins of further frontends that may call with credentials. */
  readonly allowedOrigins: readonly string[];
  /** The sender of mails; null for one of the service's own host. */
  readonly mailFrom: string | null;
}

export const DEFAULT_SITE: SiteSettings = {
  customFields: {},
  regions: [],
  reviewEncounters: false,
  defaultLocationPrivacy: 'open',
  readers: 'anyone',
  anonymousEncounters: false,
  registrationOpen: true,
  maxUploadBytes: 26_214_400,
  requireVerifiedEmail: false,
  languages: ['en'],
  defaultLanguage: 'en',
  frontendUrl: null,
  allowedOrigins: [],
  mailFrom: null,
};

/** Milliseconds after which a change that another server has made is seen here. */
const POLL = 1000;

/** The single type in which they are kept. */
export const SITE_UID = 'api::site-settings.site-settings' as UID.ContentType;

/** The settings of a running service. */
export interface Site {
  /** As they are now; the same object until they change. */
  current(): SiteSettings;
  /** Reads what is stored: at the start, and after each change. */
  load(): Promise<void>;
  /** Looks for the changes of other servers. */
  watch(): void;
  close(): void;
}

/** The settings as they are stored, over the defaults; what the boot was given is over both. */
export function createSite(strapi: Core.Strapi): Site {
  const given = strapi.config.get<Partial<SiteSettings>>('oms.site', {});
  let settings: SiteSettings = { ...DEFAULT_SITE, ...given };
  let stored = '';
  let timer: NodeJS.Timeout | undefined;
  const load = async (): Promise<void> => {
    const row = (await strapi.db.query(SITE_UID).findOne({})) as Partial<SiteSettings> | null;
    const text = JSON.stringify(row);
    if (text === stored) return;
    stored = text;
    settings = { ...DEFAULT_SITE, ...present(row ?? {}), ...given };
  };
  return {
    current: () => settings,
    load,
    watch() {
      timer = setInterval(() => void load().catch(() => undefined), POLL).unref();
    },
    close: () => clearInterval(timer),
  };
}

/** What is stored and set, of what there is a setting for. An input that has been emptied sets nothing. */
const present = (row: Readonly<Record<string, unknown>>): Partial<SiteSettings> =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => name in DEFAULT_SITE && value !== null && value !== '',
    ),
  );
