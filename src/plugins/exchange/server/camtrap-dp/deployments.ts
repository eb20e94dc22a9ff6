import type { Origin } from '../package/fault';
import type { TableRow } from '../package/row';
import { verbatimOf } from '../package/verbatim';

/** The columns of a deployment that an import requires. */
export const REQUIRED_OF_DEPLOYMENTS = ['deploymentID', 'latitude', 'longitude'] as const;

/** The place of a camera. */
export interface Deployment {
  readonly id: string;
  /** Degrees, WGS 84. */
  readonly latitude: number;
  readonly longitude: number;
  /** Meters. */
  readonly uncertainty: number | null;
  /** Meters below the surface, for a camera under water. */
  readonly depth: number | null;
  readonly locality: string | null;
  /** The column that it was read from. */
  readonly localityColumn: 'locationName' | 'locationID';
  /** What has no field, by column, with its ID. */
  readonly verbatim: Readonly<Record<string, string>>;
  readonly origin: Origin;
}

/**
 * A row of `deployments` (https://camtrap-dp.tdwg.org/data/#deployments).
 *
 * @returns null for an invalid row, whose faults say why
 */
export function readDeployment(row: TableRow): Deployment | null {
  row.required('latitude');
  row.required('longitude');
  const id = row.required('deploymentID');
  const latitude = row.number('latitude', { min: -90, max: 90 });
  const longitude = row.number('longitude', { min: -180, max: 180 });
  // Without the region: `location_id` is a key of the site settings, which a package does not know.
  const name = row.text('locationName');
  const deployment = {
    uncertainty: row.number('coordinateUncertainty', { min: 0 }),
    depth: row.number('cameraDepth', { min: 0 }),
    locality: name ?? row.text('locationID'),
    localityColumn: name === null ? 'locationID' : 'locationName',
    origin: { file: row.file, line: row.line },
  } as const;
  if (row.faults.length > 0 || latitude === null || longitude === null) return null;
  const verbatim = { deploymentID: id, ...verbatimOf(row) };
  return { id, latitude, longitude, ...deployment, verbatim };
}
