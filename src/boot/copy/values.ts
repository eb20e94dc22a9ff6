/** Converts values of SQLite to the declared types of PostgreSQL's columns, and refuses those that do not fit. */

/** A value as SQLite gives it, whole numbers exactly. */
export type Given = string | number | bigint | Buffer | null;

/** A value as PostgreSQL takes it, and the text of it that is compared. */
export interface Converted {
  readonly value: string | boolean | Buffer | null;
  readonly text: string | null;
}

/** @throws Error which says what is wrong with a value, without it: it may be personal */
export type Convert = (given: Exclude<Given, null>) => Converted;

/** A type of columns. */
export interface DeclaredType {
  readonly convert: Convert;
  /** What PostgreSQL gives, as a text, as it is compared. */
  readonly comparable: (text: string) => string;
}

const same = (text: string): string => text;

const plain = (text: string): Converted => ({ value: text, text });

const wrong = (expected: string): Error => new Error(`is not ${expected}`);

const whole = (bits: 16n | 32n | 64n): DeclaredType => {
  const limit = 1n << (bits - 1n);
  return {
    convert(given) {
      if (typeof given !== 'bigint') throw wrong('a whole number');
      if (given < -limit || given >= limit) throw wrong(`a whole number of ${bits} bits`);
      return plain(String(given));
    },
    comparable: same,
  };
};

const double: DeclaredType = {
  convert(given) {
    if (typeof given !== 'bigint' && typeof given !== 'number') throw wrong('a number');
    return plain(String(Number(given)));
  },
  comparable: (text) => String(Number(text)),
};

/** Decimals, without those at the end that say nothing. */
const decimal = (text: string): string => String(Number(text));

const numeric = (scale: number | null): DeclaredType => ({
  convert(given) {
    const text = String(given);
    if (!/^-?\d+(\.\d+)?$/.test(text)) throw wrong('a decimal number');
    const decimals = text.split('.')[1]?.length ?? 0;
    if (scale !== null && decimals > scale) throw wrong(`a number with ${scale} decimals`);
    return { value: text, text: decimal(text) };
  },
  comparable: decimal,
});

const boolean: DeclaredType = {
  convert(given) {
    if (given !== 0n && given !== 1n) throw wrong('0 or 1');
    return { value: given === 1n, text: String(given === 1n) };
  },
  comparable: same,
};

const text = (most: number | null): DeclaredType => ({
  convert(given) {
    if (typeof given !== 'string') throw wrong('a text');
    if (given.includes('\0')) throw wrong('a text without U+0000');
    if (most !== null && given.length > most && [...given].length > most)
      throw wrong(`a text of at most ${most} characters`);
    return plain(given);
  },
  comparable: same,
});

/** The same for the same value, in whatever order its members are: PostgreSQL keeps another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

const parsed = (source: string): string => JSON.stringify(sorted(JSON.parse(source)));

const json: DeclaredType = {
  convert(given) {
    if (typeof given === 'object') throw wrong('JSON');
    // SQLite keeps a number alone as a number.
    const source = String(given);
    if (source.includes('\\u0000')) throw wrong('JSON without U+0000');
    try {
      return { value: source, text: parsed(source) };
    } catch {
      throw wrong('JSON');
    }
  },
  comparable: parsed,
};

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,3})?Z?$/;

/** Milliseconds since 1970, or a text in UTC, as `current_timestamp` gives it. */
function millisecondsOf(given: Exclude<Given, null>): number {
  if (typeof given === 'bigint') return Number(given);
  if (typeof given !== 'string' || !INSTANT.test(given)) return Number.NaN;
  return Date.parse(given.replace(' ', 'T').replace(/Z?$/, 'Z'));
}

/** Of the years from 1 to 9999. */
const EARLIEST = Date.UTC(0, 0, 1) - 1899 * 366 * 86_400_000;
const LATEST = Date.UTC(9999, 11, 31);

const timestamp: DeclaredType = {
  convert(given) {
    const at = millisecondsOf(given);
    if (!(at >= EARLIEST && at <= LATEST)) throw wrong('a time in milliseconds since 1970');
    return { value: new Date(at).toISOString(), text: String(at) };
  },
  comparable: (source) => String(millisecondsOf(source.replace(/\+00$/, ''))),
};

const date: DeclaredType = {
  convert(given) {
    const day =
      typeof given === 'bigint' ? new Date(Number(given)).toISOString().slice(0, 10) : given;
    if (typeof day !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(day)) throw wrong('a date');
    return plain(day);
  },
  comparable: same,
};

const bytes: DeclaredType = {
  convert(given) {
    if (!Buffer.isBuffer(given)) throw wrong('bytes');
    return { value: given, text: `\\x${given.toString('hex')}` };
  },
  comparable: same,
};

/** By what `format_type` says, without what is in brackets. */
const TYPES: Readonly<Record<string, (size: number | null, scale: number | null) => DeclaredType>> =
  {
    smallint: () => whole(16n),
    integer: () => whole(32n),
    bigint: () => whole(64n),
    'double precision': () => double,
    numeric: (_, scale) => numeric(scale),
    boolean: () => boolean,
    'character varying': text,
    text: () => text(null),
    json: () => json,
    jsonb: () => json,
    'timestamp without time zone': () => timestamp,
    'timestamp with time zone': () => timestamp,
    date: () => date,
    bytea: () => bytes,
  };

/** @param type as `format_type` says it @returns undefined for one that nothing is known of */
export function columnType(type: string): DeclaredType | undefined {
  const [, size, scale] = /\((\d+)(?:,(\d+))?\)/.exec(type) ?? [];
  const name = type.replace(/\(\d+(,\d+)?\)/, '');
  const make = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  const number = (given: string | undefined): number | null =>
    given === undefined ? null : Number(given);
  return make?.(number(size), number(scale));
}
