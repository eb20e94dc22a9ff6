/**
 * The metadata that a camera has written into a photograph (EXIF 3.0). It is untrusted input: invalid values are
 * ignored.
 */
import exifr from 'exifr';
import { acceptText } from '../../../../core/text';
import { parseTime } from '../../../../core/time';
import type { CameraData } from './image';

/** The maximum size of the metadata in bytes. */
const MAX_EXIF = 1024 * 1024;

const TAGS = [
  'DateTimeOriginal',
  'OffsetTimeOriginal',
  'CreateDate',
  'OffsetTimeDigitized',
  'Make',
  'Model',
  'GPSLatitude',
  'GPSLatitudeRef',
  'GPSLongitude',
  'GPSLongitudeRef',
  'GPSStatus',
];

const NOTHING: CameraData = { takenAt: null, latitude: null, longitude: null, camera: null };

/** The maximum length of the name of a camera, in characters. */
const MAX_CAMERA = 200;

/** @param source the EXIF block, or the path of a TIFF, which is one */
export async function readCameraData(source: Buffer | string): Promise<CameraData> {
  if (typeof source !== 'string' && source.length > MAX_EXIF) return NOTHING;
  try {
    const given: unknown = await exifr.parse(source, { pick: TAGS, reviveValues: false });
    return typeof given === 'object' && given !== null
      ? cameraDataOf(given as Readonly<Record<string, unknown>>)
      : NOTHING;
  } catch {
    return NOTHING;
  }
}

function cameraDataOf(tags: Readonly<Record<string, unknown>>): CameraData {
  const position = positionOf(tags);
  // exifr calls DateTimeDigitized CreateDate.
  const digitized = tags['CreateDate'];
  return {
    takenAt:
      timeOf(tags['DateTimeOriginal'], tags['OffsetTimeOriginal']) ??
      timeOf(digitized, tags['OffsetTimeDigitized']),
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    camera: cameraOf(tags['Make'], tags['Model']),
  };
}

/**
 * The position, where the camera tells in which hemispheres it is, and not that its measurement was interrupted
 * (`GPSStatus` V, for void). 0/0 is what cameras write that know none.
 */
function positionOf(
  tags: Readonly<Record<string, unknown>>,
): { readonly latitude: number; readonly longitude: number } | null {
  const latitude = degrees(tags['latitude'], 90);
  const longitude = degrees(tags['longitude'], 180);
  const isTold =
    /^[NS]/i.test(textOf(tags['GPSLatitudeRef'])) && /^[EW]/i.test(textOf(tags['GPSLongitudeRef']));
  if (latitude === null || longitude === null || !isTold) return null;
  const isVoid = /^V/i.test(textOf(tags['GPSStatus'])) || (latitude === 0 && longitude === 0);
  return isVoid ? null : { latitude, longitude };
}

const degrees = (value: unknown, max: number): number | null =>
  typeof value === 'number' && Math.abs(value) <= max ? value + 0 : null;

/** The characters of a tag that are read: some programs fill it up with blanks. */
const MAX_TEXT = 1024;

/** A text, empty if it is malformed; control characters end and pad the texts of some cameras. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? (acceptText(value.slice(0, MAX_TEXT).replace(/[\p{Cc}\p{Cs}]/gu, ' ')) ?? '')
    : '';

/** `2011:06:03 14:05:00`, also with hyphens, and `+02:00` or `+0200` where the camera writes it. */
function timeOf(time: unknown, offset: unknown): string | null {
  const match = /^(\d{4})[:-](\d\d)[:-](\d\d)[ T](\d\d:\d\d:\d\d)/.exec(textOf(time));
  if (!match) return null;
  const [, year, month, day, clock] = match;
  const [, hours, minutes] = /^([+-]\d\d):?(\d\d)$/.exec(textOf(offset)) ?? [];
  const utc = textOf(offset) === 'Z' ? 'Z' : '';
  const zone = hours === undefined ? utc : `${hours}:${minutes ?? '00'}`;
  const text = `${year}-${month}-${day}T${clock}${zone}`;
  return parseTime(text) ? text : null;
}

function cameraOf(make: unknown, model: unknown): string | null {
  const [maker, name] = [textOf(make), textOf(model)];
  const whole = name.startsWith(maker) ? name : `${maker} ${name}`;
  return whole.trim().slice(0, MAX_CAMERA) || null;
}
