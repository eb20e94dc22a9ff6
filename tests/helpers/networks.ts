import type { Answer } from './http';
import { keyOf, tryLogin } from './people';
import type { Sender } from './world';

type Headers = Readonly<Record<string, string>>;

let made = 0;

/** A network that no other test comes from. */
export const newNetwork = (): number => (made += 1);

/** An address in a network, by default one of its own, as a trusted proxy says it. */
export const from = (host = 1, network = newNetwork()): Headers => ({
  'X-Forwarded-For': `10.${network >> 8}.${network & 255}.${host}`,
});

/** A network as limits name it. */
export const nameOf = (network: number): string => `10.${network >> 8}.${network & 255}.0/24`;

/** Tries a wrong password so often, and gives the statuses of the answers. */
export async function failLogins(
  sender: Sender,
  times: number,
  name: string,
  headers: Headers,
): Promise<number[]> {
  const found: number[] = [];
  for (let tries = 0; tries < times; tries += 1)
    found.push((await tryLogin(sender, name, 'wrong', headers)).status);
  return found;
}

/** Expects a 429 that says when to come again, in at most so many seconds. */
export function expectTooMany(answer: Answer, seconds: number): void {
  expect([answer.status, keyOf(answer)]).toEqual([429, 'API_RESPONSE_TOO_MANY_REQUESTS']);
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(seconds);
}
