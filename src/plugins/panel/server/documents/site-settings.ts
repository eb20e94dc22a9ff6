/** The settings as they are saved in the panel: checked before, in force after. */
import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import { databaseOf, siteOf } from '../../../objects/server';
import { SITE_UID } from '../../../objects/server/site';
import { canonicalLanguage, isEmail, isWebUrl } from '../../../../core/formats';

type Check = (value: unknown) => string | null;
type Data = Readonly<Record<string, unknown>>;

/** Entries of a list, and code units of a text: looked at before anything that may take long. */
const MAX_ITEMS = 100;
const MAX_TEXT = 255;

const isBounded = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT;

const listOf =
  (what: string, is: (text: string) => boolean): Check =>
  (value) => {
    const isList =
      Array.isArray(value) &&
      value.length <= MAX_ITEMS &&
      value.every((item) => isBounded(item) && is(item));
    return isList ? null : `This has to be a list of ${what}, at most ${MAX_ITEMS}.`;
  };

const text =
  (what: string, is: (text: string) => boolean): Check =>
  (value) =>
    isBounded(value) && is(value) ? null : `This has to be ${what}.`;

const isLanguage = (tag: string): boolean => canonicalLanguage(tag) === tag;
const isPlainUrl = (url: string): boolean => isWebUrl(url) && !/[?#]/.test(url);
const isOrigin = (url: string): boolean => isWebUrl(url) && new URL(url).origin === url;

/** What Strapi's own types do not say. */
const CHECKS: Readonly<Record<string, Check>> = {
  languages: (value) =>
    Array.isArray(value) && value.length === 0
      ? 'One language at least.'
      : listOf('language tags such as en or pt-BR', isLanguage)(value),
  defaultLanguage: text('a language tag such as en or pt-BR', isLanguage),
  frontendUrl: text('an http or https address without ? and #', isPlainUrl),
  allowedOrigins: listOf('origins such as https://map.example.org', isOrigin),
  mailFrom: text('an e-mail address', isEmail),
};

/** Puts the checks in front of what Strapi does with the single type, and the settings in force behind it. */
export function checkSiteSettings(strapi: Core.Strapi): void {
  strapi.documents.use(async (context, next) => {
    if (context.uid !== SITE_UID) return next();
    if (context.action === 'create' || context.action === 'update') {
      const { data = {} } = context.params as { data?: Record<string, unknown> };
      // There is one document, whose ID Strapi gives it; the form sends it along.
      delete data['documentId'];
      check(data, siteOf(strapi).current() as unknown as Data);
    }
    const result = await next();
    databaseOf(strapi).whenCommitted(() => {
      void siteOf(strapi)
        .load()
        .catch((error: unknown) => strapi.log.error(`site settings: ${String(error)}`));
    });
    return result;
  });
}

/** @throws ValidationError with a text at each field that is wrong */
function check(data: Data, current: Data): void {
  const found = Object.entries(CHECKS).flatMap(([name, faultOf]): [string, string][] => {
    const value = data[name];
    const isCleared = value === undefined || value === null || value === '';
    const fault = isCleared ? null : faultOf(parsed(value));
    return fault === null ? [] : [[name, fault]];
  });
  const { languages, defaultLanguage } = { ...current, ...data };
  const list = parsed(languages);
  if (found.length === 0 && Array.isArray(list) && !list.includes(defaultLanguage))
    found.push(['defaultLanguage', 'This has to be one of the languages.']);
  const [first] = found;
  if (!first) return;
  const faults = found.map(([name, message]) => ({
    path: [name],
    message,
    name: 'ValidationError',
  }));
  throw new errors.ValidationError(first[1], { errors: faults });
}

/** The panel sends JSON as a text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
