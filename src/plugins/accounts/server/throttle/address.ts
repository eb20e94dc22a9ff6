/** Where a request comes from. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** What a connection has that is gone already: the unspecified address. */
const UNKNOWN = '0.0.0.0';

/** Gives the address of a client; it never throws, whatever the headers say. */
export type AddressReader = (request: IncomingMessage) => string;

/**
 * @param trustedProxies addresses or networks whose `X-Forwarded-For` counts; nobody else's does
 * @param warn told once, when that header arrives and nobody is trusted: all callers then count as
 *   one, the proxy
 */
export function createAddressReader(
  trustedProxies: readonly string[],
  warn: (message: string) => void = () => undefined,
): AddressReader {
  const trust = proxyAddr.compile([...trustedProxies]);
  let hasWarned = trustedProxies.length > 0;
  return (request) => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined) {
      hasWarned = true;
      warn(
        'X-Forwarded-For was sent, and TRUSTED_PROXIES is empty: limits count the address that connects. If that is a proxy, name it there.',
      );
    }
    return addressOf(request, trust);
  };
}

type Trust = (address: string, hops: number) => boolean;

/**
 * The last address that the chain of trusted proxies vouches for. Where the one of them that is
 * furthest away reports no address at all, it is that proxy's own.
 */
export function addressOf(request: IncomingMessage, trust: Trust): string {
  // From the connection outward.
  const vouched = proxyAddr.all(request, trust);
  const address = vouched.reverse().find((hop) => typeof hop === 'string' && isIP(hop) !== 0);
  return address === undefined ? UNKNOWN : parse(address).toString();
}

/** Bits that one customer of a provider usually has; less would be evaded, more hits neighbors. */
const PREFIX = { ipv4: 24, ipv6: 56 } as const;

/** The network of an address: the /24 of IPv4, the /56 of IPv6. @throws Error on what is none */
export function networkOf(address: string): string {
  const parsed = parse(address);
  const kind = parsed.kind();
  const cidr = `${parsed.toString()}/${PREFIX[kind]}`;
  const network =
    kind === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
      : ipaddr.IPv6.networkAddressFromCIDR(cidr);
  return `${network.toString()}/${PREFIX[kind]}`;
}

/** IPv4 in an IPv6 socket is IPv4. A zone (`%eth0`) says how to reach an address, not which it is. */
const parse = (address: string): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.process(address.replace(/%.*$/, ''));
