/** Objects as GeoJSON (RFC 7946): a feature each, without a geometry where it has no position. */
import type { Body } from '../../plugins/objects/server/declare/objects';
import type { ExportColumn } from './columns';

export const GEOJSON_HEAD = '{"type":"FeatureCollection","features":[';
export const GEOJSON_TAIL = ']}\n';

function feature(columns: readonly ExportColumn[], object: Body): string {
  const { id, latitude, longitude } = object;
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  const geometry = isPlaced ? { type: 'Point', coordinates: [longitude, latitude] } : null;
  const properties = Object.fromEntries(
    columns.flatMap(({ name, value }) => {
      const own = value(object);
      return own === undefined ? [] : [[name, own]];
    }),
  );
  return JSON.stringify({ type: 'Feature', id, geometry, properties });
}

/** @param isFirst whether no feature has been written before these */
export const geojsonFeatures = (
  columns: readonly ExportColumn[],
  objects: readonly Body[],
  isFirst: boolean,
): string =>
  objects
    .map((object, at) => `${isFirst && at === 0 ? '' : ','}${feature(columns, object)}`)
    .join('\n');
