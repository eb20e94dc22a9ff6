/** Actions that close what has been opened, in reverse order. */
export interface Cleanup {
  add(action: () => Promise<void>): void;
  /** Runs all actions, even if some of them fail. */
  run(): Promise<void>;
}

export function createCleanup(): Cleanup {
  const actions: (() => Promise<void>)[] = [];
  return {
    add: (action) => void actions.push(action),
    async run() {
      for (const action of actions.splice(0).reverse()) {
        try {
          await action();
        } catch (error) {
          process.stderr.write(`cleaning up: ${String(error)}\n`);
        }
      }
    },
  };
}
