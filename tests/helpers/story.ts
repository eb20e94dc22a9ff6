/** A step of a story: what it shows, as a sentence, and how. */
export type Step = readonly [name: string, work: () => unknown];

/**
 * One test of steps that build on each other; a failure names its step. What a test needs of another one belongs into one
 * story with it, because tests run in random order.
 *
 * @param timeout milliseconds for all steps together; by default those of the project
 */
export function story(name: string, steps: readonly Step[], timeout?: number): void {
  test(
    name,
    async () => {
      for (const [step, work] of steps) {
        try {
          await work();
        } catch (error) {
          if (error instanceof Error) {
            error.message = `${step}: ${error.message}`;
            error.stack = `${step}: ${error.stack}`;
          }
          throw error;
        }
      }
    },
    timeout,
  );
}
