/** A database of which reads, transactions and their statements are spans. */
import type { StartedSpan, SpanAbout, Tracer } from '../../../../core/tracer';
import type { Database } from './database';
import { Sql, type Statement } from './sql';
import { isSeveral, type StatementRows, type Step, type Work } from './work';

/** By the conventions of OpenTelemetry for databases. */
export type DatabaseSystem = 'sqlite' | 'postgresql';

/** The most of a text that is told: those of searches are long. */
const MAX_TEXT = 4000;

/** Values are parameters; numbers in a text may follow from what a caller asked for. */
const NUMBER = /(?<![\w$])\d+(?:\.\d+)?/g;

const FIRST_WORD = /^\W*(\w+)/;

const texts = new WeakMap<Sql, string>();

/** The text of a statement, without a value. */
function textOf(sql: Sql): string {
  let text = texts.get(sql);
  if (text === undefined) {
    text = sql.sqlite.replace(NUMBER, '?').slice(0, MAX_TEXT);
    texts.set(sql, text);
  }
  return text;
}

const sqlOf = (given: Sql | Statement): Sql => (given instanceof Sql ? given : given.sql);

function aboutText(system: DatabaseSystem, parts: readonly Sql[]): SpanAbout {
  const first = FIRST_WORD.exec(parts[0]?.chunks[0] ?? '')?.[1] ?? 'statement';
  return {
    name: first.toUpperCase(),
    kind: 'client',
    attributes: () => ({
      'db.system.name': system,
      'db.query.text': parts.map(textOf).join(';\n').slice(0, MAX_TEXT),
    }),
  };
}

const aboutStep = (system: DatabaseSystem, step: Step): SpanAbout =>
  aboutText(system, isSeveral(step) ? step.several.map(({ sql }) => sql) : [step.sql]);

/** Work each of whose steps is a span below that of its transaction. */
function* traced<T>(
  work: () => Work<T>,
  transaction: StartedSpan,
  system: DatabaseSystem,
): Work<T> {
  const running = work();
  let step = running.next();
  while (!step.done) {
    const span = transaction.child(aboutStep(system, step.value));
    let answer: StatementRows;
    try {
      answer = yield step.value;
      span.end();
    } catch (error) {
      span.end(error);
      step = running.throw(error);
      continue;
    }
    step = running.next(answer);
  }
  return step.value;
}

/** The same database, which tells a tracer what it does. Statements of Strapi's own are not among it. */
export function traceDatabase(
  database: Database,
  tracer: Tracer,
  system: DatabaseSystem,
): Database {
  const read = database.read.bind(database);
  const readApart = database.readApart.bind(database);
  const write = database.write.bind(database);
  database.read = (statement) =>
    tracer.span(aboutText(system, [sqlOf(statement)]), () => read(statement));
  database.readApart = (statement, turn) =>
    tracer.span(aboutText(system, [sqlOf(statement)]), () => readApart(statement, turn));
  database.write = (work, options) =>
    tracer.span(
      { name: 'transaction', kind: 'client', attributes: () => ({ 'db.system.name': system }) },
      (span) => write(() => traced(work, span, system), options),
    );
  return database;
}
