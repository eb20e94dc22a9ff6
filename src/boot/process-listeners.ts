const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

type Listener = (...args: unknown[]) => void;

/** The listeners of the process, as they were when asked for. */
export interface ProcessListeners {
  /** Takes away what was added since for the signals that end a process. */
  restoreSignals(): void;
  /** Runs an action that may remove no listener of the process. */
  during(action: () => Promise<void>): Promise<void>;
}

/**
 * Strapi, made, listens for signals and ends the process on one; destroyed, it removes every listener of the
 * process. That is too much: without Node's own for `newListener`, no signal handler installed afterwards is
 * ever called, and a test runner or a second service loses its own.
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
