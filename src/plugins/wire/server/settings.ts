/** What the pipeline is told at the start. */
export interface Settings {
  /** Origins that may call with credentials, beside the service's own. */
  readonly allowedOrigins: () => readonly string[];
  /** The name of the session cookie: the scheme of `PUBLIC_URL` decides. */
  readonly cookieName: string;
  /** Whether callers reach the service by https. */
  readonly isSecure: boolean;
}

/**
 * @param publicUrl where callers reach the service
 * @param frontendUrl where the frontend is
 */
export function createSettings(publicUrl: string, frontendUrl: string): Settings {
  const isSecure = publicUrl.startsWith('https:');
  const origins = [new URL(frontendUrl).origin, new URL(publicUrl).origin];
  return {
    allowedOrigins: () => origins,
    cookieName: isSecure ? '__Host-oms_session' : 'oms_session',
    isSecure,
  };
}
