/**
 * The metadata that a camera has written into a photograph (EXIF 3.0). It is untrusted input: invalid values are
 * ignored.
 */
import exifr from 'exifr';
import { parseTime } from '../../../../core/time';
import type { CameraData } from './image';

/** The maximum size of the metadata in bytes. */
const MAX_EXIF = 1024 * 1024;

const TAGS = [
  'DateTimeOriginal',
  'OffsetTimeOriginal',
  'Make',
  'Model',
  'GPSLatitude',
  'GPSLatitudeRef',
  'GPSLongitude',
  'GPSLongitudeRef',
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
  const latitude = degrees(tags['latitude'], 90);
  const longitude = degrees(tags['longitude'], 180);
  const isWhole = latitude !== null && longitude !== null;
  return {
    takenAt: timeOf(tags['DateTimeOriginal'], tags['OffsetTimeOriginal']),
    latitude: isWhole ? latitude : null,
    longitude: isWhole ? longitude : null,
    camera: cameraOf(tags['Make'], tags['Model']),
  };
}

const degrees = (value: unknown, max: number): number | null =>
  typeof value === 'number' && Math.abs(value) <= max ? value + 0 : null;

const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
        .normalize('NFC')
        .trim()
    : '';

/** `2011:06:03 14:05:00`, and `+02:00` where the camera writes it. */
function timeOf(time: unknown, offset: unknown): string | null {
  const match = /^(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)/.exec(textOf(time));
  if (!match) return null;
  const [, year, month, day, clock] = match;
  const zone = /^([+-]\d\d:\d\d|Z)$/.test(textOf(offset)) ? textOf(offset) : '';
  const text = `${year}-${month}-${day}T${clock}${zone}`;
  return parseTime(text) ? text : null;
}

function cameraOf(make: unknown, model: unknown): string | null {
  const [maker, name] = [textOf(make), textOf(model)];
  const whole = name.startsWith(maker) ? name : `${maker} ${name}`;
  return whole.trim().slice(0, MAX_CAMERA) || null;
}
