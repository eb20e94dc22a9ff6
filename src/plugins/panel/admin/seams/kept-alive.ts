/**
 * Sends a change that goes on when the tab is closed right after it. Strapi's client has no `keepalive`; where it keeps the
 * token of the session is in `admin/src/utils/getFetchClient.ts`.
 */
import { attemptTokenRefresh, triggerSessionExpired } from '@strapi/strapi/admin';

const KEY = 'jwtToken';

/** Browsers send no more than 64 KiB so. */
const MAX_KEPT_ALIVE = 60_000;

function tokenOf(page: Document): string {
  const stored = localStorage.getItem(KEY);
  if (stored !== null) return String(JSON.parse(stored));
  const cookie = page.cookie.split('; ').find((pair) => pair.startsWith(`${KEY}=`));
  return decodeURIComponent(cookie?.slice(KEY.length + 1) ?? '');
}

/** @throws Error where the session has ended, or nothing answers */
export async function postKeptAlive(path: string, content: object): Promise<Response> {
  const body = JSON.stringify(content);
  const send = (token: string): Promise<Response> =>
    fetch(path, {
      method: 'POST',
      keepalive: body.length < MAX_KEPT_ALIVE,
      credentials: 'include',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body,
    });
  const token = tokenOf(document);
  const answer = await send(token);
  if (answer.status !== 401) return answer;
  try {
    return await send(await attemptTokenRefresh(token));
  } catch (error) {
    triggerSessionExpired();
    throw error;
  }
}
