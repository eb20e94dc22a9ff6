/**
 * SQL as a value that contains its parameters. Fragments nest; no code counts or replaces placeholders in a text.
 * Compiled statements have slots, which are filled when they run.
 */

/** A value of a parameter or a column. */
export type SqlValue = string | number | bigint | boolean | null;

/** A parameter that is given when the statement is run. */
class Slot {
  constructor(readonly name: string) {}
}

type Parameter = SqlValue | Slot;

const NOTHING: readonly string[] = [];

export class Sql {
  private texts: { sqlite?: string; postgres?: string } = {};

  /**
   * @param chunks the texts around the parameters: one more than there are parameters
   * @param reads the aliases of tables whose columns it has, as far as they are made as such (`columnIn`, `reading`)
   */
  constructor(
    readonly chunks: readonly string[],
    readonly parameters: readonly Parameter[],
    readonly reads: readonly string[] = NOTHING,
  ) {}

  get sqlite(): string {
    return (this.texts.sqlite ??= this.chunks.join('?'));
  }

  get postgres(): string {
    return (this.texts.postgres ??= this.chunks.reduce(
      (text, chunk, at) => `${text}$${at}${chunk}`,
    ));
  }
}

/** A column of a table, which is selected from under an alias. */
export class Column extends Sql {
  constructor(
    readonly alias: string,
    readonly name: string,
  ) {
    super([`${alias}.${name}`], [], [alias]);
  }
}

/** A statement with all its values. */
export interface Statement {
  readonly sql: Sql;
  readonly values: readonly SqlValue[];
  /** On SQLite it is run once with each of these instead of `values`: it takes no more than a set of rows at a time. */
  readonly each?: readonly (readonly SqlValue[])[];
  /** Each time it gives the first of the values, and the ID of the row that it has inserted. */
  readonly givesIds?: true;
  /** Its text depends on a request: PostgreSQL does not keep it prepared, SQLite only while it is among the last ones. */
  readonly isAdHoc?: true;
  /** Nobody waits for its rows: see `tell`. */
  readonly isTold?: true;
  /** The changes of objects that it records, for those who listen to them. */
  readonly made?: readonly MadeChange[];
}

/** A change of one object. */
export interface MadeChange {
  readonly type: string;
  readonly id: string;
  readonly op: 'create' | 'update' | 'delete';
  /** Of a deletion: the fields that had a value. */
  readonly before: Readonly<Record<string, unknown>> | null;
}

/**
 * A fragment of SQL. Interpolated fragments are nested; any other interpolated value is a parameter.
 *
 * @example sql`select id from ${raw(table)} where name = ${name} and ${condition}`
 */
export const sql = (strings: TemplateStringsArray, ...parts: readonly (Parameter | Sql)[]): Sql =>
  around(strings, parts);

/**
 * Parts with these texts around them, one more than there are parts. A search is made of some hundred fragments, each of
 * which is copied into those around it.
 */
function around(texts: readonly string[], parts: readonly (Parameter | Sql)[]): Sql {
  const chunks: string[] = [];
  const parameters: Parameter[] = [];
  let last = texts[0] ?? '';
  let reads = NOTHING;
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Parameter | Sql;
    if (part instanceof Sql) {
      reads = both(reads, part.reads);
      const inner = part.chunks;
      const end = inner.length - 1;
      last += inner[0] ?? '';
      if (end > 0) {
        chunks.push(last);
        for (let n = 1; n < end; n += 1) chunks.push(inner[n] ?? '');
        last = inner[end] ?? '';
        for (const parameter of part.parameters) parameters.push(parameter);
      }
    } else {
      chunks.push(last);
      last = '';
      parameters.push(part);
    }
    last += texts[at + 1] ?? '';
  }
  chunks.push(last);
  return new Sql(chunks, parameters, reads);
}

const both = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (others.length === 0 || some === others) return some;
  return some.length === 0 ? others : [...new Set([...some, ...others])];
};

/** A constant text as it is: the name of a table or a column, a keyword. Never input of a caller. */
export const raw = (text: string): Sql => new Sql([text], []);

/** A column of the table that has an alias. */
export const columnIn = (alias: string, name: string): Column => new Column(alias, name);

/** A fragment that has columns of the table with an alias, of which it does not say so itself. */
export const reading = (alias: string, { chunks, parameters, reads }: Sql): Sql =>
  new Sql(chunks, parameters, both(reads, [alias]));

/** A constant text as a literal. */
export const literal = (text: string): Sql => raw(`'${text.replaceAll("'", "''")}'`);

/** The end of a `select`. A text, because SQLite plans a statement anew for each run where a parameter has the number. */
export const limitTo = (rows: number): Sql => raw(` limit ${rows}`);

/** A parameter whose value is given to `bind`. */
export const slot = (name: string): Slot => new Slot(name);

/** Fragments with a separator between them. */
export function join(parts: readonly Sql[], separator = ', '): Sql {
  const [first] = parts;
  if (!first || parts.length === 1) return first ?? raw('');
  const texts = ['', ...Array.from({ length: parts.length - 1 }, () => separator), ''];
  return around(texts, parts);
}

/** The disjunction of these conditions; `1 = 0` of none. */
export function anyOf(conditions: readonly Sql[]): Sql {
  const possible = conditions.filter((condition) => condition !== NEVER);
  return possible.length === 0 ? NEVER : sql`(${join(possible, ' or ')})`;
}

export const NEVER = raw('1 = 0');
export const ALWAYS = raw('1 = 1');

/** The statement of a compiled fragment, with these values in its slots. */
export function bind(source: Sql, args: Readonly<Record<string, SqlValue>>): Statement {
  const values = source.parameters.map((parameter) => {
    if (!(parameter instanceof Slot)) return parameter;
    const value = args[parameter.name];
    if (value === undefined) throw new RangeError(`no value for the parameter ${parameter.name}`);
    return value;
  });
  return { sql: source, values };
}

/** A fragment without slots as a statement. */
export const statementOf = (given: Sql | Statement): Statement =>
  given instanceof Sql ? bind(given, {}) : given;
