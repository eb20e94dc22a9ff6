/** Measurements and facts: rows of the extension, and terms without a field that are kept as they are said. */
import { canonicalLanguage } from '../../../../core/formats';
import { asRecord } from '../package/json';
import type { TableRow } from '../package/row';

export interface Fact {
  readonly type: string;
  readonly value: number | string;
  readonly unit: string | null;
}

/** Characters of each text of a measurement. */
const MAX_TEXT = 255;

/** What a publisher says of generalized or withheld data, and of a doubtful identification. */
const SAID = ['dataGeneralizations', 'informationWithheld', 'identificationQualifier'] as const;

/** A row of the extension MeasurementOrFact. @returns null for an empty or invalid one, whose faults say why */
export function readFact(row: TableRow): Fact | null {
  const type = row.text('measurementType');
  const value = row.text('measurementValue');
  if (value === null) return null;
  if (type === null) return row.refuse('measurementType', 'is missing');
  const unit = row.text('measurementUnit');
  const long = Object.entries({
    measurementType: type,
    measurementValue: value,
    measurementUnit: unit,
  })
    .filter(([, text]) => text !== null && text.length > MAX_TEXT)
    .map(([term]) => row.refuse(term, `is longer than ${MAX_TEXT}`));
  return long.length > 0 ? null : { type, value: scalarOf(value), unit };
}

/** A number in its usual form; other texts, such as `007`, stay texts. */
const scalarOf = (text: string): number | string =>
  /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(text) ? Number(text) + 0 : text;

/** The terms that are kept as they are said. Texts that are too long for a fact are `remarks`. */
export function readSaid(row: TableRow): { readonly facts: Fact[]; readonly remarks: string[] } {
  const facts: Fact[] = [];
  const remarks: string[] = [];
  for (const term of SAID) {
    const value = row.text(term);
    if (value === null) continue;
    if (value.length > MAX_TEXT) remarks.push(`${term}: ${value}`);
    else facts.push({ type: term, value, unit: null });
  }
  return { facts, remarks };
}

/** What `dynamicProperties` say. */
export interface Properties {
  /** The values of fields that the site settings define, by their keys. */
  readonly custom: Readonly<Record<string, unknown>>;
  /** Of an archive of this service: what has no term. */
  readonly tags: readonly string[];
  readonly vernacularNames: Readonly<Record<string, string>>;
  readonly facts: readonly Fact[];
}

/**
 * Reads `dynamicProperties`, a JSON object: fields of the site by their keys, and other numbers and texts as facts. Any
 * other text or value is a fault of the row.
 */
export function readProperties(row: TableRow, keys: ReadonlySet<string>): Properties {
  const term = 'dynamicProperties';
  const custom: Record<string, unknown> = {};
  const facts: Fact[] = [];
  let tags: readonly string[] = [];
  let vernacularNames: Readonly<Record<string, string>> = {};
  const text = row.text(term);
  if (text === null) return { custom, facts, tags, vernacularNames };
  const parsed = parse(text);
  if (parsed === null) {
    row.refuse(term, 'is no JSON object');
    return { custom, facts, tags, vernacularNames };
  }
  for (const [key, value] of Object.entries(parsed)) {
    if (keys.has(key)) custom[key] = value;
    else if (key === 'tags' && isTexts(value)) tags = value;
    else if (key === 'vernacularNames' && isNames(value)) vernacularNames = value;
    else if (isFact(key, value)) facts.push({ type: key, value, unit: null });
    else if (value !== null)
      row.refuse(term, `has ${JSON.stringify(key)}, which is no field, number or short text`);
  }
  return { custom, facts, tags, vernacularNames };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isNames = (value: unknown): value is Record<string, string> =>
  isTexts(Object.values(asRecord(value))) &&
  Object.keys(asRecord(value)).every((language) => canonicalLanguage(language) === language);

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? asRecord(value)
      : null;
  } catch {
    return null;
  }
}

const isFact = (key: string, value: unknown): value is number | string =>
  key !== '' &&
  key.length <= MAX_TEXT &&
  ((typeof value === 'string' && value.length <= MAX_TEXT) ||
    (typeof value === 'number' && Number.isFinite(value)));
