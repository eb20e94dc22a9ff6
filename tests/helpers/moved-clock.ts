import type { Clock } from '#app/core/clock';

/** A clock that a test moves; until then, and when it is let go, that of the machine. */
export interface MovedClock {
  readonly now: Clock;
  /** @param time such as `2031-01-10` or `2031-01-31T23:59:59.999Z`; it goes on from there */
  set(time: string): void;
  letGo(): void;
}

export function movedClock(): MovedClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    set(time) {
      ahead = Date.parse(time) - Date.now();
    },
    letGo() {
      ahead = 0;
    },
  };
}
