import { Compressed } from './compression';

/** The settings of the pipeline, fixed at the start. */
export interface Settings {
  /** Whether an origin may send credentials; the service's own origin may. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** Where callers reach the service. */
  readonly ownOrigin: string;
  /** The name of the session cookie: the scheme of `PUBLIC_URL` decides. */
  readonly cookieName: string;
  /** Whether callers reach the service by https. */
  readonly isSecure: boolean;
  /** The compressed answers that are the same for everybody. */
  readonly compressed: Compressed;
}

/** Origins of this machine, with any port. */
const LOCAL = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * @param publicUrl where callers reach the service
 * @param frontends gives the current addresses of the frontends
 * @param allowsLocal whether any port of this machine is an allowed origin
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
    compressed: new Compressed(),
  };
}
