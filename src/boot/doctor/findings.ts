/** What an examination of an installation finds, a line each. */

/** `wrong`: something does not work, or data is at risk; `look`: it may be meant so. */
export type FindingLevel = 'ok' | 'look' | 'wrong';

export interface Finding {
  readonly level: FindingLevel;
  /** What it is about: `mail`. */
  readonly about: string;
  /** What is so, and what to do where it is not well. */
  readonly text: string;
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text });
export const look = (about: string, text: string): Finding => ({ level: 'look', about, text });
export const wrong = (about: string, text: string): Finding => ({ level: 'wrong', about, text });

/** A line for the operator. */
export const lineOf = ({ level, about, text }: Finding): string =>
  `${level.padEnd(6)} ${about}: ${text}`;
