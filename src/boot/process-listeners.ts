const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

type Listener = (...args: unknown[]) => void;

/** A snapshot of the listeners of the process. */
export interface ProcessListeners {
  /** Removes the listeners that were added since for the signals that end a process. */
  restoreSignals(): void;
  /** Runs an action and restores the listeners that it removes. */
  during(action: () => Promise<void>): Promise<void>;
}

/**
 * Strapi adds listeners for signals that end the process when it is created, and removes every listener of the process
 * when it is destroyed. Without Node's own listener for `newListener`, no signal handler that is installed afterwards
 * is called, and a test runner or a second service loses its listeners.
 */
export function keepProcessListeners(): ProcessListeners {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  return {
    restoreSignals() {
      for (const signal of SIGNALS) {
        const known = new Set<unknown>(before.get(signal));
        for (const listener of process.listeners(signal)) {
          if (!known.has(listener)) process.off(signal, listener as Listener);
        }
      }
    },
    async during(action) {
      const removeAll = Object.getOwnPropertyDescriptor(process, 'removeAllListeners');
      Object.defineProperty(process, 'removeAllListeners', {
        configurable: true,
        value: () => process,
      });
      try {
        await action();
      } finally {
        if (removeAll) Object.defineProperty(process, 'removeAllListeners', removeAll);
        else Reflect.deleteProperty(process, 'removeAllListeners');
      }
    },
  };
}
