/** The address and network of a request. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** The unspecified address, for a connection that is closed already. */
const UNKNOWN = '0.0.0.0';

type Trust = (address: string, hops: number) => boolean;

/**
 * The last address that the chain of trusted proxies reports. If the outermost proxy reports no valid address, the
 * proxy's own. Does not throw for any headers.
 */
export function addressOf(request: IncomingMessage, trust: Trust): string {
  // From the connection outwards.
  const vouched = proxyAddr.all(request, trust);
  const address = vouched.reverse().find((hop) => typeof hop === 'string' && isIP(hop) !== 0);
  return address === undefined ? UNKNOWN : parse(address).toString();
}

/**
 * The network that one customer of a provider usually has: limits on a smaller one are evaded, limits on a larger one
 * affect neighbors.
 */
const PREFIX = { ipv4: 24, ipv6: 56 } as const;

/** The network of an address: the /24 of IPv4, the /56 of IPv6. @throws Error for an invalid address */
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

/**
 * The key by which connections are counted: the IPv4 address, or the /56 of IPv6, whose addresses one host may have.
 */
export function hostOf(address: string): string {
  const parsed = parse(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(address);
}

/** An IPv4 address on an IPv6 socket is treated as IPv4. A zone (`%eth0`) is dropped: it is no part of the address. */
const parse = (address: string): ipaddr.IPv4 | ipaddr.IPv6 =>
  ipaddr.process(address.replace(/%.*$/, ''));

/** The size of the cache of networks by address. */
const MAX_KEPT = 100_000;

/** Resolves the network of requests, with the headers of trusted proxies. */
export class Networks {
  private readonly trust: Trust;
  private readonly networks = new Map<string, string>();
  private hasWarned: boolean;

  /**
   * @param trustedProxies addresses or networks whose `X-Forwarded-For` is used
   * @param warn called once, when that header arrives and no proxy is trusted: all callers then share the proxy's
   *   network
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

  /** Whether an address is that of a trusted proxy, which has many callers behind it. */
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
    // Without a trusted proxy, the connection's address is the caller's.
    return this.trustedProxies.length === 0
      ? (request.socket.remoteAddress ?? UNKNOWN)
      : addressOf(request, this.trust);
  }
}
