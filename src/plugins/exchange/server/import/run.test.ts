import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type {
  BulkOptions,
  Body,
  Change,
  Outcome,
  Written,
} from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import { ApiError } from '../../../../core/errors';
import { SILENT } from './progress';
import { runImport, type ImportOptions } from './run';
import type { ImportSummary } from './summary';

const EXAMPLE = join(__dirname, '../../../../../database/demo/camtrap-dp-example');

/** The service's writer, as far as an import sees it: unique rules, refusals, transactions. */
class MemoryObjects implements Pick<
  Objects,
  'write' | 'writeAll' | 'findUnique' | 'findNamesakes' | 'findEach' | 'inspect'
> {
  rows: { id: string; type: string; body: Body }[] = [];
  batches: number[] = [];
  readonly writers: number = 1;

  findUnique(type: string, values: Body): Promise<string | null> {
    const found = this.rows.find(
      (row) =>
        row.type === type &&
        Object.entries(values).every(([key, value]) => fold(row.body[key]) === fold(value)),
    );
    return Promise.resolve(found?.id ?? null);
  }

  async findNamesakes(type: string, values: Body): Promise<string[]> {
    const found = await this.findUnique(type, values);
    return found === null ? [] : [found];
  }

  inspect(type: string, id: string): Promise<{ object: Body; may: () => boolean }> {
    const found = this.rows.find((row) => row.type === type && row.id === id);
    return Promise.resolve({ object: found?.body ?? {}, may: () => true });
  }

  findEach(type: string, all: readonly Body[]): Promise<(string | null)[]> {
    return Promise.all(all.map((values) => this.findUnique(type, values)));
  }

  write(change: Change): Promise<Written> {
    if (change.op !== 'create') throw new Error('only creates');
    const { type, body } = change;
    const isSame = (row: Body): boolean =>
      type === 'encounter'
        ? row.source === body.source && row.external_id === body.external_id
        : fold(row.scientific_name) === fold(body.scientific_name) && row.rank === body.rank;
    if (this.rows.some((row) => row.type === type && isSame(row.body))) {
      const path = type === 'encounter' ? 'external_id' : 'scientific_name';
      return Promise.reject(
        new ApiError('ENTITY_EXISTS', { type, path }, [{ path, key: 'TAKEN', args: {} }]),
      );
    }
    if (body.remarks === 'refuse me') {
      const issue = { path: 'remarks', key: 'TOO_LONG', args: { max: 3 } } as const;
      return Promise.reject(new ApiError('MALFORMED', {}, [issue]));
    }
    const id = String(this.rows.length + 1);
    this.rows.push({ id, type, body });
    return Promise.resolve({ id, version: 1 });
  }

  async writeAll(changes: readonly Change[]): Promise<Outcome[]> {
    this.batches.push(changes.length);
    const outcomes: Outcome[] = [];
    for (const change of changes) {
      try {
        outcomes.push({ ok: true, written: await this.write(change) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        outcomes.push({ ok: false, error });
      }
    }
    return outcomes;
  }

  transaction = async (work: () => Promise<void>): Promise<void> => {
    const before = [...this.rows];
    try {
      await work();
    } catch (error) {
      this.rows = before;
      throw error;
    }
  };

  of(type: string): Body[] {
    return this.rows.filter((row) => row.type === type).map(({ body }) => body);
  }
}

/** A single writer, of which is noted in which transaction each batch was written. */
class SingleWriter extends MemoryObjects {
  readonly alone: number[] = [];
  readonly transactions: number[][] = [];
  private isIn = false;

  override transaction = async (work: () => Promise<void>): Promise<void> => {
    this.transactions.push([]);
    this.isIn = true;
    await work();
    this.isIn = false;
  };

  override writeAll(
    changes: readonly Change[],
    _caller?: unknown,
    { withoutSavepoint = false }: BulkOptions = {},
  ): Promise<Outcome[]> {
    if (changes[0]?.type === 'encounter') {
      const batches = this.isIn ? (this.transactions.at(-1) ?? []) : this.alone;
      batches.push(changes.length);
      expect(withoutSavepoint).toBe(this.isIn);
    }
    return Promise.resolve(
      changes.map((_, at) => ({ ok: true, written: { id: String(at), version: 1 } })),
    );
  }
}

/** A writer of several transactions at once, each of which ends when the test says so. */
class SlowObjects extends MemoryObjects {
  override readonly writers = 3;
  readonly underWay: { end: () => void; fail: (error: Error) => void }[] = [];

  override async writeAll(changes: readonly Change[]): Promise<Outcome[]> {
    this.batches.push(changes.length);
    await new Promise<void>((end, fail) => this.underWay.push({ end, fail }));
    return changes.map((_, at) => ({ ok: true, written: { id: String(at), version: 1 } }));
  }
}

const fold = (value: unknown): unknown =>
  typeof value === 'string' ? value.toLowerCase() : (value ?? null);

let folder: string;
let objects: MemoryObjects;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oms-import-'));
  objects = new MemoryObjects();
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(path: string, options: Partial<ImportOptions> = {}): Promise<ImportSummary> {
  const service = {
    objects: objects as unknown as Objects,
    fields: () => ({ declared: new Map(), custom: new Set<string>(), regions: new Set<string>() }),
    transaction: objects.transaction,
    writers: objects.writers,
    whileAdding: (_encounters: number, work: () => Promise<void>) => work(),
    maintain: () => Promise.resolve(),
    addPhotograph: () => Promise.reject(new Error('none of these packages has photographs')),
  };
  return runImport(path, { report: join(folder, 'report.csv'), ...options }, service);
}

const refused = (summary: ImportSummary): number => summary.encounters.refused;

/** A copy of the example whose table of observations has these lines at its end. */
function exampleWith(...lines: string[]): string {
  const copy = join(folder, 'package');
  cpSync(EXAMPLE, copy, { recursive: true });
  appendFileSync(join(copy, 'observations.csv'), lines.map((line) => `${line}\n`).join(''));
  return copy;
}

/** One line of a table of observations. */
function line(cells: Record<string, string>): string {
  const [header = ''] = readFileSync(join(EXAMPLE, 'observations.csv'), 'utf8').split('\n');
  return header
    .trim()
    .split(',')
    .map((column) => cells[column] ?? '')
    .join(',');
}

const ANIMAL = {
  observationID: 'new',
  deploymentID: '00a2c20d',
  eventID: 'new',
  eventStart: '2020-06-12T04:04:29Z',
  eventEnd: '2020-06-12T04:04:29Z',
  observationLevel: 'event',
  observationType: 'animal',
  scientificName: 'Ardea',
};

const reportLines = (): string[] =>
  readFileSync(join(folder, 'report.csv'), 'utf8').trimEnd().split('\r\n');

test('the example gives its 29 encounters of 9 taxa', async () => {
  expect(await run(EXAMPLE)).toEqual({
    source: '7cca70f5-ef8c-4f86-85fb-8f070937d7ab',
    taxa: { created: 9, existing: 0, refused: 0 },
    individuals: { created: 0, existing: 0, refused: 0 },
    encounters: { created: 29, existing: 0, refused: 0 },
    leftOut: { human: 33, vehicle: 21, blank: 115, unknown: 13, unclassified: 1 },
    photographs: { created: 0, refused: 0, elsewhere: 423 },
    merged: 337,
    faults: 0,
    ...{ rows: 549, kinds: [], unread: {} },
    verbatim: {
      'deployments.csv': expect.objectContaining({ habitat: 4, setupBy: 3 }) as object,
      'observations.csv': expect.objectContaining({ bboxX: 20 }) as object,
    },
    stopped: false,
    kept: true,
    report: null,
  });
  expect(objects.of('taxonomy')[0]).toEqual({
    scientific_name: 'Anas platyrhynchos',
    rank: 'species',
    vernacular_names: { en: 'mallard', nl: 'wilde eend' },
  });
  expect(existsSync(join(folder, 'report.csv'))).toBe(false);
});

test('a second time changes nothing', async () => {
  await run(EXAMPLE);
  const before = structuredClone(objects.rows);
  const summary = await run(EXAMPLE);
  expect(summary.taxa).toEqual({ created: 0, existing: 9, refused: 0 });
  expect(summary.encounters).toEqual({ created: 0, existing: 29, refused: 0 });
  expect(objects.rows).toEqual(before);
});

test('an invalid row is reported, and the others are imported', async () => {
  const path = exampleWith(
    line({ ...ANIMAL, count: 'many', eventStart: 'yesterday' }),
    line({ ...ANIMAL, observationID: 'n2', deploymentID: 'nowhere' }),
    line({ ...ANIMAL, observationID: 'n3', observationComments: 'refuse me' }),
    line({ ...ANIMAL, observationID: '705e6036' }),
    line({ ...ANIMAL, observationID: 'n5', observationComments: '"never closed' }),
    'few',
    line({ ...ANIMAL, observationID: 'n7', observationType: 'ghost' }),
    line({ ...ANIMAL, observationID: 'n8' }),
  );
  const summary = await run(path);
  expect(summary.encounters).toEqual({ created: 30, existing: 0, refused: 7 });
  expect(summary).toMatchObject({ faults: 8, kept: true, report: join(folder, 'report.csv') });
  expect(reportLines()).toEqual([
    'file,line,field,reason,value',
    'observations.csv,551,eventStart,is not a date and time such as 2020-03-01T22:00:00Z,yesterday',
    'observations.csv,551,count,is not a number,many',
    'observations.csv,552,deploymentID,is not the ID of a deployment,nowhere',
    'observations.csv,555,,"has a quote that is not closed, or one inside quotes that is not doubled",',
    'observations.csv,556,,has 1 values where the first record has 28,',
    'observations.csv,557,observationType,"is not one of animal, human, vehicle, blank, unknown, unclassified",ghost',
    'observations.csv,554,observationID,is the ID of an earlier row,705e6036',
    'observations.csv,553,observationComments,is longer than 3,refuse me',
  ]);
});

test('an invalid deployment excludes its observations', async () => {
  const path = exampleWith();
  const file = join(path, 'deployments.csv');
  writeFileSync(file, readFileSync(file, 'utf8').replace(',51.181,', ',151.181,'));
  const summary = await run(path);
  expect(refused(summary)).toBe(115);
  expect(summary.encounters.created).toBeLessThan(29);
  expect(reportLines().slice(1, 3)).toEqual([
    'deployments.csv,3,latitude,is more than 90,151.181',
    expect.stringMatching(
      /^observations\.csv,\d+,deploymentID,is the ID of an invalid deployment \(line 3 of its table\),29b7d356$/,
    ),
  ]);
});

test('strict imports nothing if any record is invalid, and otherwise everything', async () => {
  const path = exampleWith(line({ ...ANIMAL, observationComments: 'refuse me' }));
  expect(await run(path, { strict: true })).toMatchObject({ faults: 1, kept: false });
  expect(objects.rows).toEqual([]);
  expect(await run(EXAMPLE, { strict: true })).toMatchObject({ faults: 0, kept: true });
  expect(objects.of('encounter')).toHaveLength(29);
});

test('a dry run keeps nothing and tells the same', async () => {
  expect(await run(EXAMPLE, { dryRun: true })).toMatchObject({
    encounters: { created: 29, existing: 0, refused: 0 },
    kept: false,
  });
  expect(objects.rows).toEqual([]);
});

test('stopped after a batch, it goes on where it stopped', async () => {
  const lines = Array.from({ length: 5700 }, (_, index) =>
    line({ ...ANIMAL, observationID: `n${index}`, eventID: `n${index}` }),
  );
  const path = exampleWith(...lines);
  const controller = new AbortController();
  const stopping = { ...SILENT, advance: () => objects.batches.length === 1 && controller.abort() };
  const first = await run(path, { signal: controller.signal, progress: stopping });
  expect(first).toMatchObject({ stopped: true, kept: true, encounters: { created: 5000 } });

  const second = await run(path);
  expect(second).toMatchObject({ stopped: false, encounters: { created: 729, existing: 5000 } });
  expect(objects.of('encounter')).toHaveLength(5729);
}, 120_000);

test('stopped while reading, it has written nothing', async () => {
  expect(await run(EXAMPLE, { signal: AbortSignal.abort() })).toMatchObject({
    stopped: true,
    kept: false,
  });
  expect(objects.rows).toEqual([]);
});

test('the report defuses what a spreadsheet would take for a formula', async () => {
  await run(exampleWith(line({ ...ANIMAL, count: '=1+1' }), line({ ...ANIMAL, count: '-1' })));
  expect(reportLines().slice(1)).toEqual([
    "observations.csv,551,count,is not a number,'=1+1",
    'observations.csv,552,count,is less than 1,-1',
  ]);
});

/** Enough for the first transaction and three others. */
const packageOfFour = (): string =>
  exampleWith(
    ...Array.from({ length: 16_000 }, (_, index) =>
      line({ ...ANIMAL, observationID: `n${index}`, eventID: `n${index}` }),
    ),
  );

describe('where one transaction writes at once', () => {
  let writer: SingleWriter;
  beforeEach(() => {
    objects = writer = new SingleWriter();
  });

  test('the first batch is alone, and the others share transactions', async () => {
    expect(await run(packageOfFour())).toMatchObject({ encounters: { created: 16_029 } });
    expect([writer.alone, writer.transactions]).toEqual([[5_000], [[5_000, 5_000, 1_029]]]);
  }, 30_000);

  test('a stop ends the transaction after the batch under way', async () => {
    const controller = new AbortController();
    const stopping = { ...SILENT, advance: () => writer.transactions.length && controller.abort() };
    const stopped = await run(packageOfFour(), { signal: controller.signal, progress: stopping });
    expect(stopped).toMatchObject({ stopped: true, kept: true, encounters: { created: 10_000 } });
    expect(writer.transactions).toEqual([[5_000]]);
  }, 30_000);
});

describe('where several transactions write at once', () => {
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await setImmediate();
  }

  /** Long enough for a further transaction to begin. */
  async function aWhile(): Promise<void> {
    for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  }

  let slow: SlowObjects;
  beforeEach(() => {
    objects = slow = new SlowObjects();
  });

  test('the first is alone, and three others are under way together', async () => {
    const imported = run(packageOfFour());
    await until(() => slow.underWay.length === 1);
    await aWhile();
    expect(slow.batches).toEqual([5_000]);
    slow.underWay[0]?.end();
    await until(() => slow.underWay.length === 4);
    for (const { end } of slow.underWay) end();
    expect(await imported).toMatchObject({ stopped: false, encounters: { created: 16_029 } });
    expect(slow.batches).toEqual([5_000, 5_000, 5_000, 1_029]);
  }, 30_000);

  test('an error of one ends the import when the others have ended', async () => {
    const ended = jest.fn();
    const imported = run(packageOfFour()).finally(ended);
    await until(() => slow.underWay.length === 1);
    slow.underWay[0]?.end();
    await until(() => slow.underWay.length === 4);
    const [, first, second, third] = slow.underWay;
    second?.fail(new ApiError('UNAVAILABLE', {}));
    await aWhile();
    expect(ended).not.toHaveBeenCalled();
    first?.end();
    await aWhile();
    expect(ended).not.toHaveBeenCalled();
    third?.end();
    await expect(imported).rejects.toMatchObject({ key: 'UNAVAILABLE' });
  }, 30_000);
});
