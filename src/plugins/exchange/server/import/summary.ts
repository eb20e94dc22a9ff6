import type { Fault } from '../package/fault';
import type { Progress } from './progress';

/** The numbers of records that were created, existed already, or were refused. */
export interface Tally {
  created: number;
  existing: number;
  refused: number;
}

/** The result of an import. */
export interface Summary {
  /** The source of the package's records. */
  readonly source: string;
  readonly taxa: Tally;
  readonly individuals: Tally;
  /** `refused` includes invalid rows. */
  readonly encounters: Tally;
  /** The photographs in the package; `elsewhere` counts those outside of it, most of them URLs. */
  readonly photographs: { created: number; refused: number; elsewhere: number };
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

export function newSummary(source: string, leftOut: readonly string[]): Summary {
  return {
    source,
    taxa: { created: 0, existing: 0, refused: 0 },
    individuals: { created: 0, existing: 0, refused: 0 },
    encounters: { created: 0, existing: 0, refused: 0 },
    photographs: { created: 0, refused: 0, elsewhere: 0 },
    leftOut: Object.fromEntries(leftOut.map((kind) => [kind, 0])),
    merged: 0,
    faults: 0,
    stopped: false,
    kept: true,
    report: null,
  };
}

/** The common context of the parts of an import. */
export interface Job {
  readonly summary: Summary;
  readonly progress: Progress;
  /** Reports a fault. */
  readonly report: (fault: Fault) => void;
  /** Whether the operator has asked to stop. */
  readonly stopped: () => boolean;
}
