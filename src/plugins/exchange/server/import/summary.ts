import type { ObservationType } from '../camtrap-dp/observations';

/** How many were made, how many were there already, how many the service refused. */
export interface Tally {
  created: number;
  existing: number;
  refused: number;
}

/** What became of a package. */
export interface Summary {
  /** What the package's records are known by. */
  readonly source: string;
  readonly taxa: Tally;
  /** `refused` also counts the ones whose row does not fit. */
  readonly encounters: Tally;
  /** Photographs that come with the package; `elsewhere` are those that do not, most of them a URL. */
  readonly photographs: { created: number; refused: number; elsewhere: number };
  /** Rows of observations that are no encounters, by their type. */
  readonly leftOut: Record<Exclude<ObservationType, 'animal'>, number>;
  /** Rows of media that belong to the encounter of another row. */
  merged: number;
  /** What does not fit: lines of the report. */
  faults: number;
  /** Whether it was stopped before its end. */
  stopped: boolean;
  /** Whether what was written stays. */
  kept: boolean;
  /** Where the faults are listed; null when there is no such file. */
  report: string | null;
}

export function newSummary(source: string): Summary {
  return {
    source,
    taxa: { created: 0, existing: 0, refused: 0 },
    encounters: { created: 0, existing: 0, refused: 0 },
    photographs: { created: 0, refused: 0, elsewhere: 0 },
    leftOut: { human: 0, vehicle: 0, blank: 0, unknown: 0, unclassified: 0 },
    merged: 0,
    faults: 0,
    stopped: false,
    kept: true,
    report: null,
  };
}
