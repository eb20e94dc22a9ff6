import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, FIELD_ERRORS, KEY_PREFIX } from '#app/core/errors';
import { NOTICES } from '#app/core/notices';

const folder = join(__dirname, '..', '..', 'public', 'locales');

/** The languages in which every message has to exist. */
export const LANGUAGES = readdirSync(folder).sort();

/** The keys of a language as they stand in its file. */
export const keysOf = (language: string): string[] => Object.keys(textsOf(language));

/** The texts of a language by their keys. */
export function textsOf(language: string): Record<string, string> {
  const text = readFileSync(join(folder, language, 'translation.json'), 'utf8');
  return JSON.parse(text) as Record<string, string>;
}

/** A key without the plural form behind it (https://www.i18next.com/translation-function/plurals). */
export const singular = (key: string): string => key.replace(/_(zero|one|two|few|many|other)$/, '');

const known = LANGUAGES.map((language) => ({
  language,
  keys: new Set(keysOf(language).map(singular)),
}));

const argumentsOf = new Map<string, readonly string[]>([
  ...Object.entries(NOTICES).map(([key, args]) => [key, Object.keys(args)] as const),
  ...Object.entries(ERRORS).map(([key, { args }]) => [key, Object.keys(args)] as const),
]);
/** Arguments that may be absent. */
const optionalOf = (key: string): readonly string[] => {
  const entry = Object.entries(ERRORS).find(([name]) => name === key)?.[1];
  return entry && 'optional' in entry ? Object.keys(entry.optional) : [];
};
const fieldArgumentsOf = new Map<string, readonly string[]>(
  Object.entries(FIELD_ERRORS).map(([key, args]) => [key, Object.keys(args)]),
);

/** The faults of a message in an answer: its prefix, its texts, the names of its arguments. */
export function messageFaults(key: string, args: object, at: 'request' | 'field'): string[] {
  if (!key.startsWith(KEY_PREFIX)) return [`the key ${key} has no prefix`];
  const untranslated = known
    .filter(({ keys }) => !keys.has(key))
    .map(({ language }) => `${key} has no text in ${language}`);
  const name = key.slice(KEY_PREFIX.length);
  const names = (at === 'field' ? fieldArgumentsOf : argumentsOf).get(name);
  if (names === undefined) return [...untranslated, `${key} is not in the catalog of errors`];
  const missing = names.filter((wanted) => !(wanted in args));
  const tokens = at === 'field' && 'expected' in args ? [`EXPECTED_${String(args.expected)}`] : [];
  const withoutText = tokens.filter((token) => !known.every(({ keys }) => keys.has(token)));
  const listed = [...names, ...(at === 'field' ? [] : optionalOf(name))];
  const unknown = Object.keys(args).filter((given) => !listed.includes(given));
  return [
    ...untranslated,
    ...missing.map((name) => `${key} lacks the argument ${name}`),
    ...withoutText.map((token) => `${token} has no text`),
    ...unknown.map((name) => `${key} has the argument ${name}, which is not in the catalog`),
  ];
}
