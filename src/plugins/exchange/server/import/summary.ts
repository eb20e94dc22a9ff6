import type { Fault } from '../package/fault';
import type { FaultKind } from './fault-kinds';
import type { Progress } from './progress';

/** The numbers of records that were created, existed already, or were refused. */
export interface Tally {
  created: number;
  existing: number;
  refused: number;
}

/** The result of an import. */
export interface ImportSummary {
  /** The source of the package's records. */
  readonly source: string;
  readonly taxa: Tally;
  readonly individuals: Tally;
  /** `refused` includes invalid rows. */
  readonly encounters: Tally;
  /** The photographs in the package; `elsewhere` counts those outside of it, most of them URLs. */
  readonly photographs: { created: number; refused: number; elsewhere: number };
  /** Rows of observations or occurrences that were read. */
  rows: number;
  /** Filled cells without a field, which are kept in `verbatim`, by file and column. */
  readonly verbatim: Record<string, Record<string, number>>;
  /** Filled cells that are kept nowhere, by file and column; null where they were not counted. */
  readonly unread: Record<string, Record<string, number | null>>;
  /** The faults by kind and value. */
  readonly kinds: FaultKind[];
  /** Rows that are no encounters, by their kind. */
  readonly leftOut: Record<string, number>;
  /** Rows of media that were merged into the encounter of another row. */
  merged: number;
  /** The number of faults, which are lines of the report. */
  faults: number;
  /** Whether the import was stopped before its end. */
  stopped: boolean;
  /** Whether the records were committed. */
  kept: boolean;
  /** The file of the report; null without one. */
  report: string | null;
}

export function newSummary(source: string, leftOut: readonly string[]): ImportSummary {
  return {
    source,
    taxa: { created: 0, existing: 0, refused: 0 },
    individuals: { created: 0, existing: 0, refused: 0 },
    encounters: { created: 0, existing: 0, refused: 0 },
    photographs: { created: 0, refused: 0, elsewhere: 0 },
    rows: 0,
    verbatim: {},
    unread: {},
    kinds: [],
    leftOut: Object.fromEntries(leftOut.map((kind) => [kind, 0])),
    merged: 0,
    faults: 0,
    stopped: false,
    kept: true,
    report: null,
  };
}

/** The common context of the parts of an import. */
export interface ImportJob {
  readonly summary: ImportSummary;
  /** Counts a cell that has no field, and is kept in the encounter's `verbatim`. */
  readonly kept: (file: string, column: string) => void;
  /** Counts cells that are kept nowhere; null where they were not counted. */
  readonly unread: (file: string, column: string, cells: number | null) => void;
  readonly progress: Progress;
  /** Reports a fault. */
  readonly report: (fault: Fault) => void;
  /** Whether the operator has asked to stop. */
  readonly stopped: () => boolean;
}
