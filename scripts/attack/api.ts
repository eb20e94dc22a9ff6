/** Calls of the API under attack: as an anonymous stranger, or as whoever keeps the records. */

type Json = Readonly<Record<string, unknown>>;

/** What asks the API. */
export interface Api {
  /** What a read or a search answers to a stranger. */
  readonly ask: (path: string) => Promise<Json>;
  /** The body of an answer to a stranger that is no JSON. */
  readonly text: (path: string) => Promise<string>;
  /** A change by a moderator. @returns the object */
  change(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Json>;
  /** What a search answers to a moderator. */
  readonly see: (path: string) => Promise<Json>;
}

/**
 * @param url of the service
 * @param authorization the headers of a moderator who is an administrator, too
 */
export function createApi(url: string, authorization: Readonly<Record<string, string>>): Api {
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(`${url}/api/v0/${path}`, init);
    if (!answer.ok) throw new Error(`${path.slice(0, 200)}: ${await answer.text()}`);
    return answer;
  };
  const json = async (path: string, init: RequestInit = {}): Promise<Json> =>
    (await (await send(path, init)).json()) as Json;
  return {
    ask: (path) => json(path),
    text: async (path) => (await send(path, {})).text(),
    see: (path) => json(path, { headers: authorization }),
    async change(method, path, body) {
      const headers = new Headers(authorization);
      const isJson = body !== undefined && !(body instanceof FormData);
      if (isJson) headers.set('Content-Type', 'application/json');
      const content = body instanceof FormData ? body : JSON.stringify(body);
      const init = body === undefined ? {} : { body: content };
      return (await json(path, { method, headers, ...init }))['response'] as Json;
    },
  };
}

/** All objects that a search finds, page after page. */
export async function* pages(
  ask: (path: string) => Promise<Json>,
  path: string,
): AsyncGenerator<{ readonly matches: readonly string[]; readonly objects: readonly Json[] }> {
  for (let next: string | null = ''; next !== null;) {
    const cursor = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const answer = await ask(`${path}${cursor}`);
    const response = answer['response'] as Json;
    yield {
      matches: answer['matches'] as readonly string[],
      objects: (response['objects'] ?? []) as readonly Json[],
    };
    next = (response['next'] ?? null) as string | null;
  }
}
