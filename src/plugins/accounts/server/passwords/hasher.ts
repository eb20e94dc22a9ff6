/** Hashes passwords with a concurrency that leaves one core for other requests; the callers' networks take turns. */
import { availableParallelism } from 'node:os';
import type { Caller } from '../../../../core/caller';
import { FairQueue } from '../../../../core/fair-queue';
import type { QueueLoad } from '../../../../core/load';
import { hashPassword, isPassword } from './hash';

/** A task takes about 30 ms; the work of one second may wait per network, that of one minute in total. */
const SIZE = {
  running: Math.max(1, availableParallelism() - 1),
  waitingOfOne: 30,
  waiting: 2000,
};

type Asking = Pick<Caller, 'network' | 'wait'>;

export class Hasher {
  private readonly queue = new FairQueue(SIZE);

  /** The hash of a password. @throws ApiError UNAVAILABLE when too many tasks wait */
  hash(password: string, caller: Asking): Promise<string> {
    return this.run(caller, () => hashPassword(password));
  }

  /** Whether a password has this hash; see `isPassword`. @throws ApiError UNAVAILABLE */
  verify(password: string, kept: string | null, caller: Asking): Promise<boolean> {
    return this.run(caller, () => isPassword(password, kept));
  }

  get load(): QueueLoad {
    return this.queue.load;
  }

  private run<T>({ network, wait }: Asking, work: () => Promise<T>): Promise<T> {
    return wait(this.queue.run(network ?? '', work));
  }
}
