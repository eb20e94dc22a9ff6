/** The messages between the benchmark and the process of a contender, over Node's IPC. */

/** A request of the benchmark. */
export type Question =
  'usage' | 'startProfile' | 'stopProfile' | 'startCoverage' | 'stopCoverage' | 'stop';

/** The resources that the contender's process has used so far. */
export interface Usage {
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** CPU time of all its threads, in microseconds. */
  readonly cpu: number;
}

/** How many functions of a script were called. */
export interface Passed {
  readonly url: string;
  readonly functions: number;
}

/** The contender's messages: its address, once; then one answer per request. */
export type Answer =
  | { readonly listening: string }
  | { readonly usage: Usage }
  | { readonly profile: string | null }
  | { readonly passed: readonly Passed[] }
  | { readonly failure: string };
