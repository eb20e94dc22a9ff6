import { SingleBar } from 'cli-progress';

/** Milliseconds between two lines where there is no terminal. */
const INTERVAL = 10_000;

/** Who is told how far an import has come. Its parts follow each other. */
export interface Progress {
  /** A part begins; `total` is what `advance` will have counted at its end. */
  start(part: string, total: number): void;
  advance(by: number): void;
  /** The part has ended, at its end or before. */
  end(): void;
}

export const SILENT: Progress = {
  start: () => undefined,
  advance: () => undefined,
  end: () => undefined,
};

/** A bar on a terminal, and elsewhere (a log, a pipe) a line every ten seconds. */
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

/** The same as lines of text. */
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
      [part, total, done, last] = [name, expected, 0, now()];
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
