/**
 * Writes the lines of the log to the standard output, in their order. Those of requests may wait for the end of the turn
 * of the event loop, so that several of them share one call of the system; nothing waits beyond the end of the process.
 */

/** Characters that may wait. */
const MAX_WAITING = 64 * 1024;

let waiting = '';
let flushing: NodeJS.Immediate | null = null;

/** Writes a line at once, after those that wait. */
export function writeLine(line: string): void {
  waiting += `${line}\n`;
  flush();
}

/** Writes a line soon. */
export function writeLineSoon(line: string): void {
  waiting += `${line}\n`;
  if (waiting.length > MAX_WAITING) flush();
  else flushing ??= setImmediate(flush);
}

function flush(): void {
  if (flushing) clearImmediate(flushing);
  flushing = null;
  const text = waiting;
  waiting = '';
  if (text !== '') process.stdout.write(text);
}

// An uncaught exception ends the process with this event, too.
process.on('exit', flush);
