import type { Fault } from '../camtrap-dp/fault';
import type { Progress } from './progress';
import type { Summary } from './summary';

/** The common context of the parts of an import. */
export interface Job {
  readonly summary: Summary;
  readonly progress: Progress;
  /** Reports a fault. */
  readonly report: (fault: Fault) => void;
  /** Whether the operator has asked to stop. */
  readonly stopped: () => boolean;
}
