/** Sites, within which browsers send cookies and show images (https://html.spec.whatwg.org/#same-site). */
import { getDomain } from 'tldts';

/** The scheme of an address with its registrable domain, which an IP address or `localhost` is itself. */
function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

/** Whether two addresses are of one site. */
export const isSameSite = (one: string, other: string): boolean => siteOf(one) === siteOf(other);

/** What an operator is told of a frontend; null if all works there. */
export function siteWarning(publicUrl: string, frontend: string): string | null {
  if (isSameSite(publicUrl, frontend)) return null;
  return `the frontend ${frontend} is another site than PUBLIC_URL (${publicUrl}): browsers send the session's cookie from there with no call, so that it has to use a bearer, and show no image of the service in a plain <img>; see docs/frontends.md`;
}
