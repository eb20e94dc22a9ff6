/** The properties of an image, and its renditions. */
import type { RenditionName } from '../../../objects/server/kinds/renditions';
import type { ImageType } from './signature';

/** The maximum number of pixels; larger images are refused by their header. */
export const MAX_PIXELS = 100_000_000;

/** The maximum number of pixels of a side: a decoder takes memory and time for each line, however short it is. */
export const MAX_SIDE = 30_000;

/** The metadata that the camera has written into a photograph. */
export interface CameraData {
  /** ISO 8601, with an offset where the camera knew it. */
  readonly takenAt: string | null;
  /** Degrees, WGS 84: both or neither. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly camera: string | null;
}

export interface DecodedImage extends CameraData {
  readonly type: ImageType;
  /** Upright. */
  readonly width: number;
  readonly height: number;
  /** Bytes. */
  readonly renditions: Readonly<Record<RenditionName, number>>;
}

/** One image for a decoder. */
export interface DecodeJob {
  readonly file: string;
  /** The path of each rendition, to be written. */
  readonly renditions: Readonly<Record<RenditionName, string>>;
}

/**
 * Why an image is refused: it is none, or one of a format that is not decoded here; it is cut off or damaged; or it or one
 * of its sides has too many pixels.
 */
export type Rejection =
  | { readonly why: 'no image' | 'empty' | 'heic' | 'damaged' }
  | { readonly why: 'pixels'; readonly pixels: number; readonly max: number };

export type DecodeResult =
  | { readonly ok: true; readonly image: DecodedImage }
  | { readonly ok: false; readonly rejection: Rejection }
  /** Neither the image's fault nor the caller's: a disk that is full. */
  | { readonly ok: false; readonly failure: string };
