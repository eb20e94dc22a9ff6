/** The photographs of occurrences: rows of the extensions Multimedia, Audubon Core and Image, and `associatedMedia`. */
import { posix } from 'node:path';
import type { Body } from '../../../objects/server/declare/objects';
import type { ValuePlace } from '../package/fault';
import { licenseAt, licenseNamed } from '../package/license';
import { isAddress } from '../package/package-files';
import type { TableRow } from '../package/row';

/** A file, by its path in the archive. */
export interface ArchiveMedium {
  readonly path: string;
  /** Fields of the asset. */
  readonly body: Body;
  readonly place: ValuePlace;
}

/** Characters of the holder of rights. */
const MAX_RIGHTS_HOLDER = 200;

/**
 * A row of an extension.
 *
 * @returns null for an invalid row, whose faults say why; `elsewhere` for an address
 */
export function readArchiveMedium(row: TableRow): ArchiveMedium | 'elsewhere' | null {
  const column = row.text('accessURI') === null ? 'identifier' : 'accessURI';
  const path = row.text(column);
  if (path === null) return row.text('references') === null ? null : 'elsewhere';
  const medium = mediumAt(path, { file: row.file, line: row.line, field: column });
  if (medium === null) return row.refuse(column, 'is outside of the package');
  if (medium === 'elsewhere') return medium;
  const license = row.text('license') ?? row.text('UsageTerms') ?? row.text('rights') ?? '';
  const known = licenseNamed(license) ?? licenseAt(license);
  const holder = row.text('rightsHolder') ?? row.text('Owner');
  return {
    ...medium,
    body: {
      ...medium.body,
      ...(known === null ? {} : { license: known }),
      ...(holder === null ? {} : { rights_holder: holder.slice(0, MAX_RIGHTS_HOLDER) }),
    },
  };
}

/** The file at this path. @returns null if it is outside of the archive, `elsewhere` for an address */
export function mediumAt(path: string, place: ValuePlace): ArchiveMedium | 'elsewhere' | null {
  if (isAddress(path)) return 'elsewhere';
  const inside = posix.normalize(path.replaceAll('\\', '/'));
  if (inside.startsWith('../') || posix.isAbsolute(inside) || inside.includes('\0')) return null;
  return { path: inside, body: { filename: posix.basename(inside) }, place };
}
