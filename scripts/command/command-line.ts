/** What scripts with arguments have in common. */

/** Prints how a script is called, and ends it. @param code 0 where that was asked for */
export function usage(text: string, code: 0 | 2): never {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}

/** Ends the process at a signal as at a failure: what is half made is removed. */
export function exitOnSignals(): void {
  const stop = (): void => {
    process.stderr.write('Stopped; nothing is left of it.\n');
    process.exit(1);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
