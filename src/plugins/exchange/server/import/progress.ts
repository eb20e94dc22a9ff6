import { SingleBar } from 'cli-progress';

/** Milliseconds between two lines without a terminal. */
const INTERVAL = 10_000;

/** Reports the progress of an import, part by part. */
export interface Progress {
  /** A part begins; `total` is the sum of its calls of `advance`. */
  start(part: string, total: number): void;
  advance(by: number): void;
  /** The part has ended, completely or not. */
  end(): void;
}

export const SILENT: Progress = {
  start: () => undefined,
  advance: () => undefined,
  end: () => undefined,
};

/** A bar on a terminal, otherwise (in a log or a pipe) a line at the start, every ten seconds, and at the end. */
export function progressOn(stream: NodeJS.WriteStream, now: () => number): Progress {
  return stream.isTTY ? bar(stream) : lines((line) => stream.write(`${line}\n`), now);
}

function bar(stream: NodeJS.WriteStream): Progress {
  let current: SingleBar | null = null;
  return {
    start(part, total) {
      current = new SingleBar({
        stream,
        format: `${part.padEnd(24)} {bar} {percentage} %  {eta_formatted} left`,
        hideCursor: true,
        etaBuffer: 100,
      });
      current.start(total, 0);
    },
    advance: (by) => current?.increment(by),
    end: () => current?.stop(),
  };
}

/** The progress as lines of text. */
export function lines(write: (line: string) => void, now: () => number): Progress {
  let part = '';
  let total = 0;
  let done = 0;
  let last = 0;
  const say = (): void => {
    last = now();
    write(`${part}: ${total === 0 ? 100 : Math.floor((done / total) * 100)} %`);
  };
  return {
    start(name, expected) {
      [part, total, done] = [name, expected, 0];
      say();
    },
    advance(by) {
      done += by;
      if (now() - last >= INTERVAL) say();
    },
    end() {
      if (done >= total) say();
    },
  };
}
