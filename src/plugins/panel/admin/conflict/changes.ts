/** What two people have changed in one document: by the form as it was opened, as it was filled in, and as it is stored now. */

export type FormValues = Readonly<Record<string, unknown>>;

/** A refused save: the values that the form began with, and those that were typed. */
export interface RefusedSave {
  readonly before: FormValues;
  readonly typed: FormValues;
}

export interface ChangedField {
  readonly name: string;
  readonly before: unknown;
  /** undefined where nothing was typed. */
  readonly typed: unknown;
  readonly now: unknown;
  /** Whether both have changed it, to different values. */
  readonly isContested: boolean;
}

/** What each change moves by itself, and nobody types. */
const NOT_TYPED = new Set(['version', 'updatedAt', 'updatedBy', 'createdAt', 'createdBy']);

/** Values of the form, which are JSON. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** The fields that were typed, and those that somebody else has changed meanwhile. */
export function changedFields({ before, typed }: RefusedSave, now: FormValues): ChangedField[] {
  const names = new Set([before, typed, now].flatMap((values) => Object.keys(values)));
  return [...names].flatMap((name) => {
    if (NOT_TYPED.has(name)) return [];
    const isTyped = !isSame(before[name], typed[name]);
    const isMoved = !isSame(before[name], now[name]);
    if (!isTyped && !isMoved) return [];
    return {
      name,
      before: before[name],
      typed: isTyped ? typed[name] : undefined,
      now: now[name],
      isContested: isTyped && isMoved && !isSame(typed[name], now[name]),
    };
  });
}

/** A value in lines, as people read it: texts by their keys, lists by their entries. */
export function valueLines(value: unknown): readonly string[] {
  if (value === null || value === undefined || value === '') return ['–'];
  if (Array.isArray(value)) return value.length === 0 ? ['–'] : value.map(oneLine);
  if (typeof value === 'object') {
    const lines = Object.entries(value).map(([key, one]) => `${key}: ${oneLine(one)}`);
    return lines.length === 0 ? ['–'] : lines;
  }
  return [oneLine(value)];
}

function oneLine(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(oneLine).join(', ');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const parts = Object.entries(value).filter(([, one]) => !isEmpty(one));
  return parts.map(([key, one]) => `${key} ${oneLine(one)}`).join(', ');
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
