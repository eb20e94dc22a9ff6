/** What the pipeline is told at the start. */
export interface Settings {
  /** Whether an origin may call with credentials; the service's own may. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** Where callers reach the service. */
  readonly ownOrigin: string;
  /** The name of the session cookie: the scheme of `PUBLIC_URL` decides. */
  readonly cookieName: string;
  /** Whether callers reach the service by https. */
  readonly isSecure: boolean;
}

/** Any port of the machine itself. */
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * @param publicUrl where callers reach the service
 * @param frontends addresses of the frontends, as they are now
 * @param allowsLocal whether any port of this machine is one, too
 */
export function createSettings(
  publicUrl: string,
  frontends: () => readonly string[],
  allowsLocal: boolean,
): Settings {
  const isSecure = publicUrl.startsWith('https:');
  const own = new URL(publicUrl).origin;
  let last: readonly string[] = [];
  let origins = [own];
  return {
    allowsOrigin(origin) {
      const now = frontends();
      if (now !== last) {
        last = now;
        origins = [own, ...now.map((url) => new URL(url).origin)];
      }
      return origins.includes(origin) || (allowsLocal && LOCAL.test(origin));
    },
    ownOrigin: own,
    cookieName: isSecure ? '__Host-oms_session' : 'oms_session',
    isSecure,
  };
}
