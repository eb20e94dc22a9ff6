import type { Client } from './client.js';
import { clientFailure, failureOf } from './failure.js';

/** A message key with its arguments: `message` of an answer, a fault of a form, or a `Failure`. */
export interface Message {
  readonly key: string;
  readonly args: object;
}

/** The languages of the service's catalogue. */
export const LANGUAGES = ['en', 'es', 'fr'] as const;

export type Language = (typeof LANGUAGES)[number];

/** The first of the wanted languages (BCP 47) that the catalogue has, else English: `es-MX` gives Spanish. */
export function languageOf(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0]);
  return tags.map((tag) => LANGUAGES.find((one) => one === tag)).find((one) => one) ?? 'en';
}

/** The texts of one language. */
export class Messages {
  constructor(
    readonly language: Language,
    private readonly catalogue: Readonly<Record<string, string>>,
  ) {}

  /** The text of a message; the key itself where the catalogue has none. */
  text({ key, args }: Message): string {
    return this.translated(key, args as Readonly<Record<string, unknown>>);
  }

  /** The label of a field, such as `label('encounter', 'sex')`; its name where the catalogue has none. */
  label(type: string, field: string): string {
    return this.catalogue[tokenOf('FIELD', type, field)] ?? field;
  }

  /** The text of a value, such as `value('encounter', 'sex', 'female')`; the value itself where the catalogue has none. */
  value(type: string, field: string, value: string): string {
    return this.catalogue[tokenOf('VALUE', type, field, value)] ?? value;
  }

  /**
   * The format is i18next's: `{{name}}` is an argument, `$t(OTHER_KEY)` the text of another key. Arguments are put in as
   * they are: a text in one of them is never taken for a key.
   */
  private translated(key: string, args: Readonly<Record<string, unknown>>): string {
    const filled = (text: string): string =>
      text.replace(/\{\{(\w+)\}\}/g, (found, name: string) => shown(args[name] ?? found));
    return (this.catalogue[key] ?? key).replace(
      /\$t\(([^)]*)\)|\{\{\w+\}\}/g,
      (found, nested: string | undefined) =>
        nested === undefined ? filled(found) : this.nested(filled(nested), args),
    );
  }

  private nested(key: string, args: Readonly<Record<string, unknown>>): string {
    return this.catalogue[key] === undefined ? key : this.translated(key, args);
  }
}

/** What is no letter or digit is `_` in a key. */
const tokenOf = (...parts: readonly string[]): string =>
  parts.map((part) => part.replace(/[^A-Za-z0-9]/g, '_')).join('_');

const shown = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value);
};

/** Milliseconds that reading the texts may take. */
const TIMEOUT = 30_000;

/** Reads the texts of the first of the wanted languages that there are, by default the browser's. @throws Failure */
export async function loadMessages(
  client: Client,
  wanted: readonly string[] = globalThis.navigator?.languages ?? [],
): Promise<Messages> {
  const language = languageOf(wanted);
  try {
    const answer = await client.fetch(`${client.baseUrl}/locales/${language}/translation.json`, {
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (!answer.ok) throw clientFailure('CLIENT_NOT_UNDERSTOOD', { status: answer.status });
    return new Messages(language, (await answer.json()) as Record<string, string>);
  } catch (error) {
    throw failureOf(error);
  }
}
