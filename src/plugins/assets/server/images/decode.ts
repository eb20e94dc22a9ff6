/** Decodes one image and makes its renditions. Runs in a separate process (`decoder.ts`). */
import { stat } from 'node:fs/promises';
import sharp, { type Metadata, type OutputInfo } from 'sharp';
import {
  RENDITION_NAMES,
  RENDITIONS,
  type RenditionName,
} from '../../../objects/server/kinds/renditions';
import { readCameraData } from './camera-data';
import {
  MAX_PIXELS,
  MAX_SIDE,
  type DecodedImage,
  type DecodeJob,
  type DecodeResult,
  type Rejection,
} from './image';
import { IMAGE_FORMATS, recognize, type ImageType } from './signature';

/** The first image of an animation. What is truncated is no image; what is odd behind it is. */
const INPUT = { limitInputPixels: MAX_PIXELS, failOn: 'truncated', pages: 1 } as const;

const QUALITY = { quality: 80, effort: 3 } as const;

/** Libraries for other formats, such as SVG, are not to be reached by anything that is sent. */
export function allowOnlyOurFormats(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map(
      (name) => `VipsForeignLoad${name}`,
    ),
  });
}

/** @param allow told the processor time, in milliseconds, that the image may take from now on */
export async function decode(
  job: DecodeJob,
  allow: (milliseconds: number) => void,
): Promise<DecodeResult> {
  const recognized = await recognize(job.file);
  const { type } = recognized;
  if (type === null) return { ok: false, rejection: { why: recognized.why } };
  const metadata = await metadataOf(job.file, recognized.isCutOff);
  if ('why' in metadata) return { ok: false, rejection: metadata };
  if (metadata.format !== IMAGE_FORMATS[type]) return { ok: false, rejection: { why: 'no image' } };
  const [width, height] = [metadata.width, metadata.pageHeight ?? metadata.height];
  const tooMany =
    excessOf(width * height, MAX_PIXELS) ?? excessOf(Math.max(width, height), MAX_SIDE);
  if (tooMany) return { ok: false, rejection: tooMany };
  allow(timeFor(width * height));
  try {
    return { ok: true, image: await render(job, type, metadata) };
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    // libvips reports a full disk, like every other fault, only in the text of its message.
    if (/no space|write error|unable to write|disk/i.test(text))
      return { ok: false, failure: 'ENOSPC' };
    // Its header is that of an image.
    return { ok: false, rejection: { why: 'damaged' } };
  }
}

/** Milliseconds of the processor for the smallest image, and for each pixel of one. */
const MIN_TIME = 5_000;
const TIME_OF_PIXEL = 0.00055;

const timeFor = (pixels: number): number => MIN_TIME + pixels * TIME_OF_PIXEL;

const excessOf = (pixels: number, max: number): Rejection | null =>
  pixels > max ? { why: 'pixels', pixels, max } : null;

/** The header of an image, or why there is none. @param isCutOff it has fewer bytes than its header says */
async function metadataOf(file: string, isCutOff: boolean): Promise<Metadata | Rejection> {
  try {
    // Its own limit would not tell how many there are.
    return await sharp(file, { ...INPUT, limitInputPixels: false }).metadata();
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    const isDamaged = isCutOff || /unexpected end/i.test(text);
    return { why: isDamaged ? 'damaged' : 'no image' };
  }
}

async function render(job: DecodeJob, type: ImageType, metadata: Metadata): Promise<DecodedImage> {
  const { file, renditions } = job;
  const whole = await sharp(file, { ...INPUT, sequentialRead: true })
    .autoOrient()
    .resize(boxOf('large'))
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  let from: Pixels = whole;
  for (const name of [...RENDITION_NAMES].reverse()) {
    if (name !== 'large') from = await shrink(from, name);
    await rawImage(from).webp(QUALITY).toFile(renditions[name]);
  }
  const sizes = await Promise.all(
    RENDITION_NAMES.map(async (name) => [name, (await stat(renditions[name])).size] as const),
  );
  const [width, height] = uprightSize(metadata);
  return {
    type,
    width,
    height,
    renditions: Object.fromEntries(sizes) as Record<RenditionName, number>,
    ...(await readCameraData(exifOf(metadata, type) ?? file)),
  };
}

interface Pixels {
  readonly data: Buffer;
  readonly info: OutputInfo;
}

const rawImage = ({ data, info: { width, height, channels } }: Pixels) =>
  sharp(data, { raw: { width, height, channels } });

const boxOf = (name: RenditionName) => ({
  width: RENDITIONS[name],
  height: RENDITIONS[name],
  fit: 'inside' as const,
  withoutEnlargement: true,
});

const shrink = (from: Pixels, name: RenditionName): Promise<Pixels> =>
  rawImage(from).resize(boxOf(name)).raw().toBuffer({ resolveWithObject: true });

function uprightSize({ width, height, pageHeight, orientation = 1 }: Metadata): [number, number] {
  const own: [number, number] = [width, pageHeight ?? height];
  return orientation >= 5 ? [own[1], own[0]] : own;
}

const EXIF_HEAD = Buffer.from('Exif\0\0', 'latin1');

/** The EXIF block without what stands before it; null for the file itself, which a TIFF is. */
function exifOf({ exif }: Metadata, type: ImageType): Buffer | null {
  if (exif)
    return exif.subarray(0, EXIF_HEAD.length).equals(EXIF_HEAD)
      ? exif.subarray(EXIF_HEAD.length)
      : exif;
  return type === 'image/tiff' ? null : Buffer.alloc(0);
}
