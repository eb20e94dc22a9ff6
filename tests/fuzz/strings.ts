/** Texts for which some function or other takes time that grows faster than their length. */
const UNITS: Readonly<Record<string, readonly [unit: string, first?: string, last?: string]>> = {
  'one letter': ['a'],
  spaces: [' '],
  'spaces between letters': [' ', 'a', 'a'],
  'line ends': ['\r'],
  'unordered marks': ['\u0301\u0316', 'a'],
  'as many unordered marks as may be': [`a${'\u0301\u0316'.repeat(15)}`],
  'sound marks': ['\uff76\uff9e'],
  'subtags of a language': ['-abcde', 'en'],
  'characters of tags': ['\u{e0067}', '\u{1f3f4}'],
  'emoji sequences': ['\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'],
  'Hangul in pieces': ['\u1100\u1161\u11a8'],
  'Hangul in whole': ['\uac01'],
  ligatures: ['\ufdfa'],
  'letters with a longer lower case': ['\u0130'],
  sigmas: ["\u03a3'"],
  'parts of an address': ['-a.', 'a@'],
  'at signs': ['@a'],
  quotes: ['"'],
  backslashes: ['\\'],
  'tags of versions': ['"1",'],
  'pairs of cookies': ['; oms_session='],
  slashes: ['/'],
  'percent signs': ['%_'],
};

export const STRINGS = Object.keys(UNITS);

/** The text of this name with at most so many code units. */
export function stringOf(name: string, length: number): string {
  const [unit, first = '', last = ''] = UNITS[name] ?? ['a'];
  const times = Math.max(0, Math.floor((length - first.length - last.length) / unit.length));
  const text = first + unit.repeat(times) + last;
  return text.length <= length ? text : 'a'.repeat(length);
}

/** The longest text of this name whose bytes, as JSON or in a URL, are as many as these. */
export function stringOfSize(
  name: string,
  size: number,
  encode: (text: string) => string = JSON.stringify,
): string {
  const probe = stringOf(name, 120);
  const ratio = Buffer.byteLength(encode(probe)) / probe.length;
  return stringOf(name, Math.floor(size / ratio));
}
