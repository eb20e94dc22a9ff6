/** What the bench and the process of a contender say to each other, over Node's IPC. */

/** What the bench asks for. */
export type Question = 'usage' | 'startProfile' | 'stopProfile' | 'stop';

/** What the contender's process has used so far. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** CPU time of all its threads, in microseconds. */
  readonly cpu: number;
}

/** What the contender answers: where it listens, once; then one answer per question. */
export type Answer =
  | { readonly listening: string }
  | { readonly usage: Usage }
  | { readonly profile: string | null }
  | { readonly failure: string };
