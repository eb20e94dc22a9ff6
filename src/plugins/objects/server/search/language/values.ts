/** Reads the values that a filter compares a field with. */
import { issue, type Issue } from '../../../../../core/errors';
import { isUuid } from '../../../../../core/formats';
import { fits } from '../../../../../core/text';
import { parseTime, parseWritten, type TimeSpan, type WrittenSpan } from '../../../../../core/time';
import type { Field } from '../../declare/completed';
import { definitionOf } from '../../kinds';
import { asNumber } from '../../kinds/number';
import type { CustomField } from '../../site/settings';
import { faultsAt, normalize, unsafeTexts, valueSchema } from '../../validate/value';
import type { FieldCondition } from './tree';
import type { FilterName, Subject } from './filters';
import { MAX_VALUES } from './limits';
import { isInstant, isReferenceList, traitsOf } from '../../kinds/traits';

/** Reads a filter. Its condition is added, or what is wrong with it. */
export function readFilter(
  { name, subject, comparison }: FilterName,
  text: string,
  issues: Issue[],
  conditions: FieldCondition[],
): void {
  if (comparison === 'min' || comparison === 'max') {
    const bound = boundIn(name, subject, text, issues);
    if (bound !== null) conditions.push({ by: 'bound', subject, side: comparison, bound });
    return;
  }
  const values = valuesIn(name, subject, text, issues);
  conditions.push({ by: 'values', subject, not: comparison === 'not', values });
}

const isNumeric = (subject: Subject): boolean =>
  subject.kind === 'custom'
    ? subject.custom.type !== 'date'
    : ['number', 'integer'].includes(subject.field.kind);

function boundIn(
  name: string,
  subject: Subject,
  text: string,
  issues: Issue[],
): number | TimeSpan | WrittenSpan | null {
  if (isNumeric(subject)) {
    const value = asNumber(text);
    if (typeof value === 'number') return value;
    issues.push(issue(name, 'TYPE', { expected: 'number' }));
    return null;
  }
  // What the service itself writes is UTC.
  const isUtc = subject.kind === 'field' && isInstant(subject.field);
  const span = isUtc ? parseTime(text) : parseWritten(text);
  if (!span) issues.push(issue(name, 'FORMAT', { expected: 'edtf' }));
  return span;
}

/** The values between the commas; in a value, a comma is escaped by a backslash. */
function valuesIn(name: string, subject: Subject, text: string, issues: Issue[]): unknown[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','));
  if (parts.length > MAX_VALUES) {
    issues.push(issue(name, 'TOO_LONG', { max: MAX_VALUES }));
    return [];
  }
  const read = READERS[subject.kind] as (
    name: string,
    subject: Subject,
    part: string,
    issues: Issue[],
  ) => unknown;
  return parts.map((part) => (part === 'null' ? null : read(name, subject, part, issues)));
}

const READERS = {
  name: (_: string, __: Subject, part: string) => part,
  custom: (
    name: string,
    { custom }: Extract<Subject, { kind: 'custom' }>,
    part: string,
    issues: Issue[],
  ) => customValue(name, custom, part, issues),
  field: (
    name: string,
    { field }: Extract<Subject, { kind: 'field' }>,
    part: string,
    issues: Issue[],
  ) => fieldValue(name, field, part, issues),
};

function customValue(name: string, { type }: CustomField, part: string, issues: Issue[]): unknown {
  if (type === 'number' || type === 'integer') {
    const value = asNumber(part);
    if (typeof value !== 'number') issues.push(issue(name, 'TYPE', { expected: 'number' }));
    return value;
  }
  if (type === 'boolean' && part !== 'true' && part !== 'false')
    issues.push(issue(name, 'TYPE', { expected: 'boolean' }));
  return part;
}

function fieldValue(name: string, field: Field, part: string, issues: Issue[]): unknown {
  const { kind } = field;
  const { moment, isTextList } = traitsOf(field);
  if (moment) return timeValue(name, moment, part, issues);
  if (isReferenceList(field)) {
    if (!isUuid(part)) issues.push(issue(name, 'FORMAT', { expected: 'uuid' }));
    return part.toLowerCase();
  }
  // An item of a list of texts is compared as it is stored.
  if (isTextList) {
    const given = unsafeTexts(field, part);
    issues.push(...given);
    if (given.length > 0) return part;
    const [item = ''] = normalize(field, [part]) as string[];
    if (!fits(item, field.maxLength))
      issues.push(issue(name, 'TOO_LONG', { max: field.maxLength }));
    return item;
  }
  const given = definitionOf(kind).parameter?.read(part);
  const tooLong = unsafeTexts({ ...field, name }, given);
  issues.push(...tooLong);
  if (tooLong.length > 0) return null;
  const value = normalize(field, given);
  issues.push(...faultsAt(valueSchema(field), name, value, { now: Date.now() }));
  return value;
}

function timeValue(
  name: string,
  moment: 'span' | 'instant',
  part: string,
  issues: Issue[],
): unknown {
  const span = moment === 'span' ? parseWritten(part) : parseTime(part);
  if (!span) issues.push(issue(name, 'FORMAT', { expected: 'edtf' }));
  return span;
}
