/** The metadata of a dataset in EML, the Ecological Metadata Language, as archives have it beside `meta.xml`. */
import { acceptText } from '../../../../core/text';
import { PackageError, type Fault } from '../package/fault';
import { licenseAt, type License } from '../package/license';
import type { PackageFiles } from '../package/package-files';
import { childrenOf, readXml, type XmlElement } from './xml';

export interface Metadata {
  /** The ID of the dataset, without a version; null if it has none. */
  readonly id: string | null;
  readonly license: License | null;
  readonly faults: readonly Fault[];
}

const NOTHING: Metadata = { id: null, license: null, faults: [] };

/** Reads what an import needs of the metadata. A file that cannot be read is a fault, and nothing is known then. */
export async function readMetadata(files: PackageFiles, path: string | null): Promise<Metadata> {
  if (path === null) return NOTHING;
  try {
    const root = await readXml(files, path);
    return { id: idOf(root), license: licenseOf(root), faults: [] };
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    const fault = { file: path, line: null, field: '', reason: error.message, value: '' };
    return { ...NOTHING, faults: [fault] };
  }
}

/** GBIF's publishing tool writes the version behind the ID: `<uuid>/v1.2`. */
function idOf(root: XmlElement): string | null {
  const id = acceptText(root.attributes.get('packageId') ?? '') ?? '';
  return id.replace(/\/v\d+(?:\.\d+)*$/, '') || null;
}

function licenseOf(root: XmlElement): License | null {
  const addresses = childrenOf(root, 'dataset')
    .flatMap((dataset) => childrenOf(dataset, 'intellectualRights'))
    .flatMap(linksIn);
  return addresses.map(licenseAt).find((license) => license !== null) ?? null;
}

const linksIn = (element: XmlElement): string[] => [
  element.attributes.get('url') ?? '',
  element.text,
  ...element.children.flatMap(linksIn),
];
