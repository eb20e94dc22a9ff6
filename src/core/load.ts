/** How much of what is bounded is in use: for metrics. */

/** Tasks that are carried out, and that wait for it. */
export interface QueueLoad {
  readonly running: number;
  readonly waiting: number;
}

/** Connections of a pool, and who waits for one. */
export interface PoolLoad {
  readonly used: number;
  readonly free: number;
  readonly waiting: number;
}
