/** What has been opened and has to be closed, the last first. */
export interface Cleanup {
  add(action: () => Promise<void>): void;
  /** Does it all; what fails does not keep the rest from being done. */
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
