/** Where a request comes from. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** What a connection has that is gone already: the unspecified address. */
const UNKNOWN = '0.0.0.0';

type Trust = (address: string, hops: number) => boolean;

/**
 * The last address that the chain of trusted proxies vouches for. Where the one of them that is
 * furthest away reports no address at all, it is that proxy's own. It never throws, whatever the headers say.
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

/** Whom connections are counted by: the address of IPv4, the /56 of IPv6, of which one host has all addresses. */
export function hostOf(address: string): string {
  const parsed = parse(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(address);
}

/** IPv4 in an IPv6 socket is IPv4. A zone (`%eth0`) says how to reach an address, not which it is. */
const parse = (address: string): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.process(address.replace(/%.*$/, ''));

/** Networks by their addresses that are kept in memory. */
const MAX_KEPT = 100_000;

/** Where requests come from, by what proxies are trusted to say. */
export class Networks {
  private readonly trust: Trust;
  private readonly networks = new Map<string, string>();
  private hasWarned: boolean;

  /**
   * @param trustedProxies addresses or networks whose `X-Forwarded-For` counts; nobody else's does
   * @param warn told once, when that header arrives and nobody is trusted: all callers then count as
   *   one, the proxy
   */
  constructor(
    private readonly trustedProxies: readonly string[],
    private readonly warn: (message: string) => void,
  ) {
    this.trust = proxyAddr.compile([...trustedProxies]);
    this.hasWarned = trustedProxies.length > 0;
  }

  /** The network that a request comes from. */
  networkOf(request: IncomingMessage): string {
    const address = this.addressOf(request);
    let network = this.networks.get(address);
    if (network === undefined) {
      network = networkOf(address);
      if (this.networks.size >= MAX_KEPT) this.networks.clear();
      this.networks.set(address, network);
    }
    return network;
  }

  /** Whether an address is that of a trusted proxy, which stands for many. */
  isTrusted(address: string): boolean {
    return this.trust(address.replace(/^::ffff:/, ''), 0);
  }

  private addressOf(request: IncomingMessage): string {
    const forwarded = request.headers['x-forwarded-for'];
    if (forwarded !== undefined && !this.hasWarned) {
      this.hasWarned = true;
      this.warn(
        'X-Forwarded-For was sent, and TRUSTED_PROXIES is empty: limits count the address that connects. If that is a proxy, name it there.',
      );
    }
    // Without a proxy that counts, the connection says it all.
    return this.trustedProxies.length === 0
      ? (request.socket.remoteAddress ?? UNKNOWN)
      : addressOf(request, this.trust);
  }
}
