import { readCameraData } from './camera-data';

const ASCII = 2;
const LONG = 4;
const [MAKE, MODEL, EXIF_FOLDER, TAKEN] = [0x10f, 0x110, 0x8769, 0x9003];

/** A folder of an EXIF block, little-endian, at this position; texts follow it. */
function folderAt(position: number, tags: readonly (readonly [number, string | number])[]): Buffer {
  const head = Buffer.alloc(2 + 12 * tags.length + 4);
  head.writeUInt16LE(tags.length, 0);
  const texts: Buffer[] = [];
  let next = position + head.length;
  for (const [at, [tag, value]] of tags.entries()) {
    const entry = 2 + 12 * at;
    const text = Buffer.from(typeof value === 'string' ? `${value}\0` : '');
    head.writeUInt16LE(tag, entry);
    head.writeUInt16LE(typeof value === 'string' ? ASCII : LONG, entry + 2);
    head.writeUInt32LE(typeof value === 'string' ? text.length : 1, entry + 4);
    if (typeof value === 'number') head.writeUInt32LE(value, entry + 8);
    else if (text.length <= 4) text.copy(head, entry + 8);
    else {
      head.writeUInt32LE(next, entry + 8);
      texts.push(text);
      next += text.length;
    }
  }
  return Buffer.concat([head, ...texts]);
}

/** The EXIF block of a photograph that was taken with this camera. */
function exifWith(make: string, model: string): Buffer {
  const start = Buffer.from('49492a0008000000', 'hex');
  const ofExif = 8 + folderAt(8, [...camera(make, model), [EXIF_FOLDER, 0]]).length;
  return Buffer.concat([
    start,
    folderAt(8, [...camera(make, model), [EXIF_FOLDER, ofExif]]),
    folderAt(ofExif, [[TAKEN, '2021:03:01 10:00:00']]),
  ]);
}

const camera = (make: string, model: string) =>
  [
    [MAKE, make],
    [MODEL, model],
  ] as const;

/** Marks whose order normalization has to find, which takes quadratic time. */
const marks = (length: number): string => `a${'\u0316\u0301'.repeat(length / 2)}`;

test.each([
  ['its maker and name', 'Canon', 'EOS Ré5', 'Canon EOS Ré5'],
  ['its name alone where that begins with the maker', 'Canon', 'Canon EOS R5', 'Canon EOS R5'],
  ['its name without what pads it', 'Canon\0\0\0', 'EOS R5   ', 'Canon EOS R5'],
  ['no name of combining marks', '', marks(400_000), null],
  ['the maker where the name is of combining marks', 'Canon', marks(40), 'Canon'],
  ['no more than 200 characters', 'x'.repeat(300), 'y'.repeat(100_000), 'x'.repeat(200)],
])('a camera is told by %s', async (_, make, model, told) => {
  const data = await readCameraData(exifWith(make, model));
  expect([data.camera, data.takenAt]).toEqual([told, '2021-03-01T10:00:00']);
});
