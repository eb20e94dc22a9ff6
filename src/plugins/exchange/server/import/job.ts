import type { Fault } from '../camtrap-dp/fault';
import type { Progress } from './progress';
import type { Summary } from './summary';

/** What the parts of one import share. */
export interface Job {
  readonly summary: Summary;
  readonly progress: Progress;
  /** Notes what does not fit. */
  readonly report: (fault: Fault) => void;
  /** Whether the operator has asked to stop. */
  readonly stopped: () => boolean;
}
