/** What the pipeline is told at the start. */
export interface Settings {
  /** Origins that may call with credentials, the service's own among them. */
  readonly allowedOrigins: () => readonly string[];
  /** Where callers reach the service. */
  readonly ownOrigin: string;
  /** The name of the session cookie: the scheme of `PUBLIC_URL` decides. */
  readonly cookieName: string;
  /** Whether callers reach the service by https. */
  readonly isSecure: boolean;
}

/**
 * @param publicUrl where callers reach the service
 * @param frontends addresses of the frontends, as they are now
 */
export function createSettings(publicUrl: string, frontends: () => readonly string[]): Settings {
  const isSecure = publicUrl.startsWith('https:');
  const own = new URL(publicUrl).origin;
  let last: readonly string[] = [];
  let origins = [own];
  return {
    allowedOrigins() {
      const now = frontends();
      if (now !== last) {
        last = now;
        origins = [own, ...now.map((url) => new URL(url).origin)];
      }
      return origins;
    },
    ownOrigin: own,
    cookieName: isSecure ? '__Host-oms_session' : 'oms_session',
    isSecure,
  };
}
