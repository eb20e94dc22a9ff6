/** A new ID for an object: a UUID of version 4. Browsers have it on secure pages (https, localhost). */
export const newId = (): string => crypto.randomUUID();

/** A new claim: 256 random bits in base64url, 43 characters. */
export function newClaim(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
