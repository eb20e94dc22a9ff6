import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { errorText } from '../../../../core/start-error';
import type { Fault } from '../package/fault';
import { DESCRIPTOR, type PackageFiles } from '../package/package-files';
import { asList, asRecord, givenText, type JsonObject } from '../package/json';
import { PackageError } from '../package/fault';
import { readResource, type DataResource } from './data-resource';
import { licenseAt, licenseNamed, type License } from '../package/license';
import type { PackageTaxon } from '../package/named-taxon';
import { readTaxonomic } from './taxonomic';

/** The maximum size of a descriptor; the largest published ones have a few hundred kilobytes. */
const MAX_DESCRIPTOR_BYTES = 64 * 1024 * 1024;

/** The metadata of a package that an import needs. */
export interface Descriptor {
  /** The source of its records: its `id`, else its `name`. */
  readonly source: string;
  /** The license of the data (not the media); null if an encounter cannot have it. */
  readonly license: License | null;
  /** The license of the data as it was written, where an encounter cannot have it. */
  readonly verbatimLicense: string | null;
  readonly taxonomic: readonly PackageTaxon[];
  readonly deployments: DataResource;
  readonly observations: DataResource;
  /** Null if the package has none: the standard requires the table, an import does not. */
  readonly media: DataResource | null;
  /** A table of ours, with what earlier imports have kept of observations; null in other packages. */
  readonly verbatim: DataResource | null;
  /** Of the media. */
  readonly mediaLicense: License | null;
  /** The invalid parts of the descriptor, which are left out. */
  readonly faults: readonly Fault[];
}

/**
 * Reads and checks `datapackage.json` (https://camtrap-dp.tdwg.org/metadata/).
 *
 * @throws PackageError when it is not a Camtrap DP 1, or cannot be imported
 */
export async function readDescriptor(files: PackageFiles): Promise<Descriptor> {
  if ((await files.size(DESCRIPTOR)) > MAX_DESCRIPTOR_BYTES) {
    throw new PackageError(`${DESCRIPTOR} is larger than ${MAX_DESCRIPTOR_BYTES} bytes.`);
  }
  const root = await parse(await files.read(DESCRIPTOR));
  checkProfile(root);
  const source = givenText(root.id) ?? givenText(root.name);
  if (source === null) {
    throw new PackageError(
      `${DESCRIPTOR} has neither id nor name; without one of them its records cannot be distinguished from those of other packages.`,
    );
  }
  const resources = asList(root.resources).map(asRecord);
  const faults: Fault[] = [];
  return {
    source,
    ...dataLicense(root, faults),
    mediaLicense: licenseOf(root, 'media'),
    taxonomic: readTaxonomic(root.taxonomic, faults),
    deployments: resourceOf(resources, 'deployments'),
    observations: resourceOf(resources, 'observations'),
    verbatim: verbatimIn(resources),
    media: resources.some(({ name }) => name === 'media') ? resourceOf(resources, 'media') : null,
    faults,
  };
}

async function parse(stream: Readable): Promise<JsonObject> {
  let value: unknown;
  try {
    value = JSON.parse((await readText(stream)).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new PackageError(`${DESCRIPTOR} is not JSON (${errorText(error)}).`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PackageError(`${DESCRIPTOR} is not a JSON object.`);
  }
  return asRecord(value);
}

/**
 * The profile is the address of a release of the standard (`.../camtrap-dp/1.0.2/...`); in newer versions of the data
 * package specification the property is `$schema`.
 */
function checkProfile(root: JsonObject): void {
  const profile = givenText(root.profile) ?? givenText(root.$schema);
  // Packages made against the newest text of the standard name its branch.
  if (/camtrap-dp\/(?:refs\/heads\/)?main\//.test(profile ?? '')) return;
  const version = /camtrap-dp\/(?:refs\/tags\/)?v?(\d+)\.(\d+[^/]*)\//.exec(profile ?? '');
  if (/dwc-?dp|darwin-core-data-package/i.test(profile ?? '')) {
    throw new PackageError(
      `${DESCRIPTOR} is a Darwin Core Data Package, which cannot be imported; export the data as a Darwin Core archive (meta.xml) instead.`,
    );
  }
  if (profile === null || version === null) {
    throw new PackageError(
      `${DESCRIPTOR} is no Camtrap DP: its profile is ${profile === null ? 'missing' : JSON.stringify(profile)}.`,
    );
  }
  if (version[1] !== '1') {
    throw new PackageError(
      `${DESCRIPTOR} is Camtrap DP ${version[1]}.${version[2]}; only version 1 can be imported. The R package camtrapdp converts older packages (read_camtrapdp, then write_camtrapdp).`,
    );
  }
}

function resourceOf(resources: readonly JsonObject[], name: string): DataResource {
  const found = resources.find((resource) => resource.name === name);
  if (!found) throw new PackageError(`${DESCRIPTOR} is no Camtrap DP: it has no resource ${name}.`);
  return readResource(found, name);
}

/** Its columns, in any package: the name alone may be that of something else. */
export const OWN_VERBATIM_COLUMNS = ['observationID', 'term', 'value'] as const;

function verbatimIn(resources: readonly JsonObject[]): DataResource | null {
  const found = resources.find(({ name }) => name === 'verbatim');
  if (!found) return null;
  const names = asList(asRecord(found.schema).fields).map((field) => asRecord(field).name);
  return names.join() === OWN_VERBATIM_COLUMNS.join() ? readResource(found, 'verbatim') : null;
}

/** A license that is none of ours is told: no encounter gets another one for it. */
function dataLicense(
  root: JsonObject,
  faults: Fault[],
): Pick<Descriptor, 'license' | 'verbatimLicense'> {
  const license = licenseOf(root, 'data');
  const given = asList(root.licenses)
    .map(asRecord)
    .find(({ scope }) => scope === 'data');
  const text = givenText(given?.name) ?? givenText(given?.path) ?? givenText(given?.title);
  if (license !== null || text === null) return { license, verbatimLicense: null };
  const reason = 'is none of the licenses that records can have';
  faults.push({ file: DESCRIPTOR, line: null, field: 'licenses', reason, value: text });
  return { license, verbatimLicense: text };
}

function licenseOf(root: JsonObject, scope: 'data' | 'media'): License | null {
  const license = asList(root.licenses)
    .map(asRecord)
    .find((candidate) => candidate.scope === scope);
  const name = givenText(license?.name);
  return name === null ? licenseAt(givenText(license?.path) ?? '') : licenseNamed(name);
}
