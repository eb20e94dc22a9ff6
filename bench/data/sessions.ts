/**
 * Accounts with a session for the benchmark, created through the API: by registration, and by an administrator where a
 * role needs one.
 */
import type { Contender } from '../contenders/contender';

const API = '/api/v0';
const PASSWORD = 'correct horse battery';

/** The secret of a session. */
export type Session = Readonly<Record<'authorization', string>>;

/** Creates an account with this role and logs it in. */
export async function newSession(
  ours: Contender,
  role: 'user' | 'moderator' | 'administrator',
): Promise<Session> {
  const email = `${role}@example.org`;
  await post(ours, 'user', { name: `A ${role}`, email, password: PASSWORD, role });
  const { cookie } = await post(ours, 'login', { username: email, password: PASSWORD });
  return { authorization: `Bearer ${String(cookie)}` };
}

type Response = Readonly<Record<string, unknown>>;

/** `response` of a call. @param path behind `/api/v0/` @throws Error when the answer is no success */
export async function post(
  { url }: Contender,
  path: string,
  body: object | FormData,
): Promise<Response> {
  const answer = await fetch(`${url}${API}/${path}`, {
    method: 'POST',
    ...(body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return (JSON.parse(text) as { response: Response }).response;
}
