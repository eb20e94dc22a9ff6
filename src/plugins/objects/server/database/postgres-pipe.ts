import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { SqlValue, Statement } from './sql';
import { isSeveral, type WorkDriver, type StatementRows, type Step } from './work';

/** The stream of a client, which is not part of its types. What is written while it is corked is sent at once. */
interface WithStream {
  readonly connection?: { readonly stream?: { cork?(): void; uncork?(): void } };
}

/** Values from which on statements are sent at once: the server works on them while the next ones are made. */
const MANY = 1_000;

type Result = QueryArrayResult<SqlValue[]>;

/**
 * The statements of one transaction. Those whose rows nobody waits for are sent together with the next one: each time
 * that one process has to wake the other costs as much as a small statement. The client is one with `pipeline`
 * (https://node-postgres.com/features/pipelining).
 */
export class Pipe implements WorkDriver {
  private told: Promise<unknown>[] = [];
  private isHeld = false;
  /** The values of statements that are not sent yet. */
  private values = 0;

  /** @param query a statement as the driver takes it */
  constructor(
    private readonly client: PoolClient,
    private readonly query: (statement: Statement) => QueryArrayConfig,
  ) {}

  /** The first statement. */
  begin(text: string): void {
    this.push({ text, rowMode: 'array' });
  }

  tell(statement: Statement): void {
    this.push(this.query(statement));
  }

  /** The last statement. @throws the error of one whose answer was not awaited */
  async end(text: string): Promise<void> {
    this.hold();
    await this.all([this.client.query<SqlValue[]>({ text, rowMode: 'array' })]);
  }

  async answer(step: Step): Promise<StatementRows> {
    this.hold();
    const statements = isSeveral(step) ? step.several : [step];
    const results = await this.all(
      statements.map((statement) => this.client.query<SqlValue[]>(this.query(statement))),
    );
    const answers = results.map(({ rows }) => rows);
    return isSeveral(step) ? answers : (answers[0] ?? []);
  }

  private push(query: QueryArrayConfig): void {
    this.hold();
    const told = this.client.query<SqlValue[]>(query);
    // It is thrown where the next answer is awaited.
    told.catch(() => undefined);
    this.told.push(told);
    this.values += query.values?.length ?? 0;
    if (this.values >= MANY) this.send();
  }

  /** Sends what is held, and waits for all answers: of several errors, the first one is the cause of the others. */
  private async all(asked: readonly Promise<Result>[]): Promise<readonly Result[]> {
    this.send();
    const told = this.told.splice(0);
    const settled = await Promise.allSettled([...told, ...asked]);
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return Promise.all(asked);
  }

  private send(): void {
    this.stream?.uncork?.();
    this.isHeld = false;
    this.values = 0;
  }

  private hold(): void {
    if (!this.isHeld) this.stream?.cork?.();
    this.isHeld = true;
  }

  private get stream() {
    return (this.client as WithStream).connection?.stream;
  }
}
