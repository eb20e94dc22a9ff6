import * as yup from 'yup';
import { literal, sql, type Sql } from '../database/sql';
import { json, type KindDefinition } from './kind';
import { asItIs } from './normalize';
import { filePath } from './path';

/** The longer side of each, in pixels: what is smaller stays as it is. */
export const RENDITIONS = { thumbnail: 256, small: 640, large: 2048 } as const;

export type RenditionName = keyof typeof RENDITIONS;
export const RENDITION_NAMES = Object.keys(RENDITIONS) as RenditionName[];

/** The media type of all of them. */
export const RENDITION_TYPE = 'image/webp';

/** The paths of the renditions of what is at a path. */
export const renditionPaths = (path: string): Record<RenditionName, string> =>
  Object.fromEntries(RENDITION_NAMES.map((name) => [name, `${path}?size=${name}`])) as Record<
    RenditionName,
    string
  >;

/** A rendition in a summary: where it is, and its pixels. */
export interface Rendition {
  readonly path: string;
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * The renditions of an image.
 *
 * @param paths by their names
 * @param pixels of the original, upright; null where they are not known
 */
export function renditionsOf(
  paths: Readonly<Record<string, string>>,
  pixels: readonly [width: number, height: number] | null,
): Record<string, Rendition> {
  const sized: [string, Rendition][] = [];
  let from = pixels;
  // Each is made of the next larger one.
  for (const name of [...RENDITION_NAMES].reverse()) {
    const [width = null, height = null] = (from &&= fitted(from, RENDITIONS[name])) ?? [];
    sized.unshift([name, { path: paths[name] ?? '', width, height }]);
  }
  return Object.fromEntries(sized);
}

function fitted([width, height]: readonly [number, number], longest: number): [number, number] {
  const scale = longest / Math.max(width, height);
  const side = (own: number): number => Math.max(1, Math.round(own * scale));
  return scale >= 1 ? [width, height] : [side(width), side(height)];
}

/** Stands for the ID in a text that is taken apart. */
const MARK = '\u0000';

/** The same, as the SQL of a JSON text. */
export function renditionPathsSql(type: string, id: Sql): Sql {
  const parts = JSON.stringify(renditionPaths(filePath(type, MARK))).split(
    JSON.stringify(MARK).slice(1, -1),
  );
  return parts.map(literal).reduce((text, part) => sql`${text} || ${id} || ${part}`);
}

/** The smaller forms of an image: their paths by their names. */
export const renditions: KindDefinition = {
  attributes: [],
  natural: [],
  empty: null,
  json: 'json',
  asks: false,
  recurs: false,
  longest: () => null,
  normalize: asItIs,
  check: () => yup.mixed(),
  schema: () => ({
    type: 'object',
    required: RENDITION_NAMES,
    properties: Object.fromEntries(
      RENDITION_NAMES.map((name) => [
        name,
        {
          type: 'string',
          description: `WebP, its longer side at most ${RENDITIONS[name]} pixels.`,
        },
      ]),
    ),
  }),
  encode: json,
  referredId: null,
  parameter: null,
};
