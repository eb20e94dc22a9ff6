/** Measures the time from the start of a process to its first answer, compared with an empty Strapi. */
import { startContender, type Program } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { askOnce } from './load';
import { emptyPlace, stockApp, type Theater } from './stage';

interface Starter {
  readonly program: Program;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
}

/** Starts each in turn, on a database with existing tables. @returns milliseconds */
export async function measureStarts(
  theater: Theater,
  first: Dataset,
  rounds: number,
  progress: (text: string) => void,
): Promise<Record<string, number[]>> {
  const [row] = await first.place.rows('select document_id from encounters limit 1');
  const bare = await emptyPlace(theater);
  const starters: Readonly<Record<string, Starter>> = {
    ours: {
      program: 'ours',
      env: first.place.env,
      path: `/api/v0/encounter/${String(row?.[0])}`,
    },
    'bare Strapi': {
      program: 'stock',
      env: { ...bare.env, ...stockApp(theater.folder, false) },
      path: '/_health',
    },
  };
  const times: Record<string, number[]> = {};
  // The first start creates the tables and is not measured.
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, starter] of Object.entries(starters)) {
      progress(`start: ${name}`);
      const time = await startOnce(starter);
      if (round >= 0) (times[name] ??= []).push(time);
    }
  }
  return times;
}

async function startOnce({ program, env, path }: Starter): Promise<number> {
  const start = performance.now();
  const contender = await startContender(program, env);
  try {
    await askOnce(contender.url, { method: 'GET', path });
    return performance.now() - start;
  } finally {
    await contender.stop();
  }
}
