/** The worst texts: those that cost most, that databases or programs do not take, and that look like others. */

interface Worst {
  /** What is repeated, behind `first`. */
  readonly unit: string;
  readonly first?: string;
  /** No text of the service may be like this (contract, section 1). */
  readonly isMalformed?: true;
}

const WORST: Readonly<Record<string, Worst>> = {
  'alternating combining marks': { unit: '\u0301\u0316', first: 'a', isMalformed: true },
  'the code point 0': { unit: 'a\0b', isMalformed: true },
  'halves of surrogate pairs': { unit: 'a\ud800', isMalformed: true },
  'bidi controls': { unit: '\u202egnp.\u2066x\u2069', first: 'photo' },
  'zero-width characters': { unit: 'a\u200b\u200d\u2060\ufeffb' },
  'ligatures that NFKC makes eighteen characters of': { unit: '\ufdfa' },
  'line ends with a header': { unit: '\r\nBcc: eve@example.org\r\ny', first: 'a' },
  'one letter': { unit: 'a' },
};

export const WORST_NAMES = Object.keys(WORST);

export const isMalformed = (name: string): boolean => WORST[name]?.isMalformed ?? false;

/** Repeats a text until it has at least so many bytes by a measure, or nearly: never more. */
function filled(
  unit: string,
  first: string,
  room: number,
  sizeOf: (text: string) => number,
): string {
  const [head, one] = [sizeOf(first), sizeOf(unit)];
  return first + unit.repeat(Math.max(1, Math.floor((room - head) / one)));
}

/**
 * @param room bytes
 * @param sizeOf the bytes of a text where it is sent
 */
export const worstOf = (name: string, room: number, sizeOf: (text: string) => number): string =>
  filled(WORST[name]?.unit ?? '', WORST[name]?.first ?? '', room, sizeOf);

/** A text of which nobody thinks anything, of the same size. */
export const harmlessOf = (room: number, sizeOf: (text: string) => number): string =>
  filled('Zebra ', 'Z', room, sizeOf);
