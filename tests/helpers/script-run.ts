import type { ChildProcess } from 'node:child_process';

/** A run of a script of the app, in a process other than this one. */
export interface ScriptRun {
  readonly child: RunningChild;
  readonly output: () => string;
  readonly errors: () => string;
  /** The lines written since the last call, which are forgotten: a long run writes more than a text can hold. */
  readonly taken: () => string;
  /** The code it ended with, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Of the process that runs it: as if it ran nothing else. */
export type RunningChild = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'>;

export type Stream = 'output' | 'errors';

interface Texts {
  add(stream: Stream, text: string): void;
  readonly read: Pick<ScriptRun, 'output' | 'errors' | 'taken'>;
}

/** What a script has written. */
export function textsOf(): Texts {
  const texts = { output: '', errors: '' };
  return {
    add(stream, text) {
      texts[stream] += text;
    },
    read: {
      output: () => texts.output,
      errors: () => texts.errors,
      taken() {
        let lines = '';
        for (const stream of ['output', 'errors'] as const) {
          const end = texts[stream].lastIndexOf('\n') + 1;
          lines += texts[stream].slice(0, end);
          texts[stream] = texts[stream].slice(end);
        }
        return lines;
      },
    },
  };
}
