/** The result of a run, as it is stored in a file. */
import type { DatabaseName } from './places/place';

/** The measurement of one contender in one round of one workload. */
export interface Round {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU time per request, of all threads of its process. */
  readonly cpu: number;
  /** The utilization of the load generator's event loop, from 0 to 1. */
  readonly load: number;
}

/** One workload: its rounds by contender (`ours`, `floor`, `stock`; in `growth` with the number of records). */
export interface Measurement {
  readonly workload: string;
  readonly rounds: Readonly<Record<string, readonly Round[]>>;
}

export interface Machine {
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  /** The load average before the benchmark: if it is not near 0, other processes affect the numbers. */
  readonly load: number;
  /** Bytes. */
  readonly memory: number;
  readonly system: string;
}

export interface Result {
  /** ISO 8601. */
  readonly date: string;
  readonly commit: string;
  readonly machine: Machine;
  readonly database: DatabaseName;
  readonly records: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly calls: readonly Measurement[];
  readonly growth: readonly Measurement[];
  /** Resident memory after the calls, in bytes, by contender. */
  readonly memory: Readonly<Record<string, number>>;
  /** The cost of accounts; null if it was not measured. */
  readonly accounts: AccountsResult | null;
  /** What photographs cost; null where that was not measured. */
  readonly assets: AssetsResult | null;
  /** What the site settings cost; null where that was not measured. */
  readonly settings: SettingsResult | null;
  /** What relations between objects cost; null where that was not measured. */
  readonly objects: ObjectsResult | null;
  /** What a batch saves; null where that was not measured. */
  readonly batch: BatchResult | null;
  /** What a deletion costs; null where that was not measured. */
  readonly deletion: RippleResult | null;
  /** The same of a merge. */
  readonly merge: RippleResult | null;
  /** What searches cost; null where that was not measured. */
  readonly search: SearchResult | null;
  /** The searches that frontends ask most; null where that was not measured. */
  readonly commonSearches: CommonSearchesResult | null;
  /** What lists of the panel cost; null where that was not measured. */
  readonly panelLists: PanelListsResult | null;
  /** Milliseconds from the start of the process to its first answer, by contender. */
  readonly starts: Readonly<Record<string, readonly number[]>>;
}

export interface SettingsResult {
  /** Of the settings, by `ours` and `floor`. */
  readonly reads: Measurement;
  /** Of encounters, with values `as a remark` and as `ten custom fields`. */
  readonly creates: Measurement;
}

export interface ObjectsResult {
  /** Of an encounter with summaries of its owner, individual, taxon and photographs, by `ours` and `floor`. */
  readonly related: Measurement;
  /** Of individuals, by their `1000 encounters` and `2000 encounters`. */
  readonly individuals: Measurement;
  /** Milliseconds, at the median of each round, of an encounter by an administrator, who has all rights, and a user. */
  readonly rights: Readonly<Record<'user' | 'administrator', readonly number[]>>;
}

export interface SearchResult {
  /** Numbers of encounters. */
  readonly sizes: readonly number[];
  /** Of each question of each caller, by `<size> encounters`. */
  readonly measurements: readonly Measurement[];
  /** With the most encounters. */
  readonly rest: {
    /** Milliseconds of a page, by cursor. */
    readonly pages: { readonly first: number; readonly thousandth: number };
    /** As CSV; `memory` in bytes. */
    readonly exported: { readonly rows: number; readonly seconds: number; readonly memory: number };
    /** The 99th percentile of reads in milliseconds, alone and beside ten heavy searches. */
    readonly reads: { readonly alone: number; readonly meanwhile: number };
  } | null;
}

export interface CommonSearchesResult {
  /** Of each search at each size: ours by the caller, `moderator` and `anonymous`, and the `peer` where there is one. */
  readonly measurements: readonly Measurement[];
}

export interface PanelListsResult {
  /** Numbers of encounters. */
  readonly sizes: readonly number[];
  /** Of each way to look at a list, by `<size> encounters`. */
  readonly measurements: readonly Measurement[];
}

export interface BatchResult {
  /** The number of creates. */
  readonly operations: number;
  /** Milliseconds. */
  readonly rounds: readonly { readonly oneByOne: number; readonly together: number }[];
}

export interface RippleResult {
  /** The number of encounters that change. */
  readonly encounters: number;
  /** Milliseconds. */
  readonly rounds: readonly {
    readonly took: number;
    /** The 99th percentile of the reads. */
    readonly readsAlone: number;
    readonly reads: number;
    readonly longestRead: number;
    /** The longest time of a create meanwhile. */
    readonly longestWrite: number;
  }[];
}

export interface AssetsResult {
  /** Of the photograph. */
  readonly bytes: number;
  readonly renditions: Measurement;
  /** Per second, by rounds: images that are decoded alone, and whole uploads. */
  readonly decoded: readonly number[];
  readonly uploaded: readonly number[];
  /** Milliseconds within which 99 of 100 reads of a rendition are answered. */
  readonly readsAlone: number;
  readonly readsDuringUploads: number;
}

export interface AccountsResult {
  readonly reads: readonly Measurement[];
  readonly sessions: number;
  /** The growth of the process in bytes after all sessions have been used once. */
  readonly sessionsMemory: number;
  /** Per second: the hash alone, and whole logins. */
  readonly hashes: number;
  readonly logins: number;
  /** The 99th percentile of the reads, in milliseconds. */
  readonly readsAlone: number;
  readonly readsDuringLogins: number;
  /** The times of refused logins in milliseconds, ascending, for known and unknown names. */
  readonly refusals: { readonly known: readonly number[]; readonly unknown: readonly number[] };
}
