/**
 * Parts of the contract that are not built yet, and that declarations may speak of: types that references point to, and
 * what derives a field. Who builds one takes it off the list, and the start then asks for what is missing.
 */
export const AWAITED = [
  'individual',
  'org',
  'site_settings',
  'collaboration',
  'review',
  'privacy',
] as const;
export type Awaited = (typeof AWAITED)[number];

export const isAwaited = (name: string): boolean => (AWAITED as readonly string[]).includes(name);
