import { ApiError } from './errors';
import { FairQueue } from './fair-queue';

interface Tasks {
  readonly begun: readonly string[];
  /** Queues a task of an origin, which is the first letter of its name. */
  readonly add: (name: string) => Promise<void>;
  readonly end: (name: string, error?: Error) => Promise<void>;
}

/** Tasks that end when the test ends them, and the order in which they have begun. */
function tasks(queue: FairQueue): Tasks {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    begun,
    add: (name) =>
      queue.run(name[0] ?? '', () => {
        begun.push(name);
        return new Promise((resolve, reject) =>
          ends.set(name, (error) => (error ? reject(error) : resolve())),
        );
      }),
    end: async (name, error) => {
      ends.get(name)?.(error);
      await settle();
    },
  };
}

const size = { running: 1, waitingOfOne: 3, waiting: 5 };

describe('a queue of work', () => {
  test('gives each origin its turn, whoever has asked for more', async () => {
    const { add, end, begun } = tasks(new FairQueue(size));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(add);
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    await Promise.all(all);
    expect(begun).toHaveLength(6);
  });

  test('runs as many at once as it may, and no more', async () => {
    const { add, end, begun } = tasks(new FairQueue({ ...size, running: 2 }));
    const all = ['a1', 'a2', 'a3', 'a4'].map(add);
    expect(begun).toEqual(['a1', 'a2']);
    await end('a2');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    for (const name of ['a1', 'a3', 'a4']) await end(name);
    await Promise.all(all);
  });

  test('goes on after work that fails, and leaves no place taken', async () => {
    const { add, end, begun } = tasks(new FairQueue(size));
    const [failing, next] = [add('a1'), add('a2')];
    const failed = expect(failing).rejects.toThrow('broken');
    await end('a1', new Error('broken'));
    await failed;
    await end('a2');
    await next;
    const last = add('a3');
    expect(begun).toEqual(['a1', 'a2', 'a3']);
    await end('a3');
    await last;
  });

  test('refuses what is too much of one origin, and of all, and takes it again later', async () => {
    const { add, end } = tasks(new FairQueue(size));
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map(add);
    const refusal = { key: 'UNAVAILABLE', headers: { 'Retry-After': '10' } };
    for (const name of ['a5', 'c1']) {
      const refused = add(name);
      await expect(refused).rejects.toBeInstanceOf(ApiError);
      await expect(refused).rejects.toMatchObject(refusal);
    }
    await end('a1');
    all.push(add('c1'));
    for (const name of ['a2', 'b1', 'a3', 'c1', 'b2', 'a4']) await end(name);
    await Promise.all(all);
  });

  test('by time, an origin whose tasks have taken long waits for those whose tasks have not', async () => {
    let now = 0;
    const { add, end, begun } = tasks(new FairQueue({ ...size, byTime: true }, () => now));
    const all = ['a1', 'a2', 'a3', 'b1', 'b2'].map(add);
    now += 5_000;
    await end('a1');
    for (const name of ['b1', 'b2']) {
      expect(begun.at(-1)).toBe(name);
      now += 1_000;
      await end(name);
    }
    const late = add('c1');
    for (const name of ['a2', 'c1']) {
      expect(begun.at(-1)).toBe(name);
      await end(name);
    }
    await end('a3');
    await Promise.all([...all, late]);
  });
});
