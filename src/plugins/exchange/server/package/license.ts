import { meaning } from '../vocabularies/vocabulary';

/** The licenses of encounters and assets, with their paths at Creative Commons. */
const LICENSES = {
  'CC0-1.0': 'publicdomain/zero/1.0',
  'CC-BY-4.0': 'licenses/by/4.0',
  'CC-BY-NC-4.0': 'licenses/by-nc/4.0',
} as const;

export type License = keyof typeof LICENSES;

const ALL = Object.entries(LICENSES) as [License, string][];

const isLicense = (text: string): text is License => text in LICENSES;

/** The license with this identifier, in any spelling of the list (`CC_BY_4_0`, `CC BY 4.0`); null for others. */
export function licenseNamed(name: string): License | null {
  const meant = meaning('license', name);
  return meant !== null && isLicense(meant) ? meant : null;
}

/** The license at this address of creativecommons.org; null for others. */
export function licenseAt(address: string): License | null {
  return ALL.find(([, path]) => address.includes(`creativecommons.org/${path}`))?.[0] ?? null;
}
