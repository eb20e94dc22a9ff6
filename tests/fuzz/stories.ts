/** Requests that follow from the answers to others, while nothing else is sent. */
import type { Answer } from '../helpers/http';
import { asObject, at, parsed } from '../helpers/json';
import type { Exchange } from './checks';
import type { Who } from './people';
import type { Gun } from './run';
import type { Shot } from './shot';

interface Stories {
  /** Sends a request and those that follow from its answer. */
  readonly tell: (shot: Shot) => Promise<void>;
}

type Report = (fault: string, exchange: Exchange) => void;

/** What a refused request must leave as it is. */
interface State {
  /** The object that the path names, as the administrator reads it. */
  readonly object: string;
  /** How many there are of its type, and the last entry of the history. */
  readonly count: string;
  readonly history: string;
}

/** Calls of which a refusal writes nothing that a read tells; those of accounts count tries and end sessions. */
const CHANGES = /^(POST|PUT|DELETE) \/api\/v0\/(?!log|reset|password|verify|sessions)/;

export function createStories({ aim, fire }: Gun, report: Report): Stories {
  const ask = async (method: string, url: string, who: Who, headers = {}): Promise<Exchange> =>
    fire({
      door: 'api',
      who,
      kind: 'valid',
      isTidy: true,
      request: { method, url, headers },
    });

  const stateOf = async (type: string, url: string): Promise<State> => {
    const path = url.split('?', 1)[0] ?? url;
    const [, object] = /^\/api\/v0\/(\w+\/[\w-]{36}|site_settings)/.exec(path) ?? [];
    const read = async (from: string): Promise<unknown> => {
      let { answer } = await ask('GET', from, 'administrator');
      // Its session has ended, and it has another one.
      if (answer.status === 401) ({ answer } = await ask('GET', from, 'administrator'));
      return { ...asObject(parsed(answer.text)), transactionId: '' };
    };
    return {
      object: object === undefined ? '' : JSON.stringify(await read(`/api/v0/${object}`)),
      count: JSON.stringify(await read(`/api/v0/search/${type}?limit=0`)),
      history: JSON.stringify(
        at(await read('/api/v0/search/history?limit=1'), 'response', 'history'),
      ),
    };
  };

  /** A refused change leaves everything as it was. */
  const change = async (given: Shot): Promise<Exchange> => {
    const shot = aim(given);
    const { url } = shot.request;
    const type = shot.operation?.type ?? 'user';
    const before = await stateOf(type, url);
    const exchange = await fire(shot);
    const { status } = exchange.answer;
    // A caller whose session has ended has been given another account.
    if (status < 400 || (status === 401 && shot.who !== 'nobody')) return exchange;
    const after = await stateOf(type, url);
    for (const part of ['object', 'count', 'history'] as const)
      if (before[part] !== after[part])
        report(`a refusal changes the ${part}, from ${before[part]} to ${after[part]}`, exchange);
    return exchange;
  };

  const expect = (exchange: Exchange, status: number, what: string): void => {
    if (exchange.answer.status !== status)
      report(`${what} is answered ${exchange.answer.status}, not ${status}`, exchange);
  };

  /** What was created is there for whoever has created it, and gone once it is deleted. */
  const created = async ({ shot, answer }: Exchange, path: string): Promise<void> => {
    const id = at(parsed(answer.text), 'response', 'id');
    if (typeof id !== 'string') return;
    const url = `${path}/${id}`;
    const read = await ask('GET', url, shot.who === 'nobody' ? 'administrator' : shot.who);
    expect(read, 200, 'a read of what was created');
    await again(read, url);
    if (/user|collaboration/.test(path)) return;
    const stale = await ask('DELETE', url, 'administrator', { 'If-Match': '"999999"' });
    expect(stale, 412, 'the deletion of another version');
    const gone = await ask('DELETE', url, 'administrator');
    if (gone.answer.status !== 200) return;
    const last = await ask('GET', url, shot.who);
    // Where the site's readers are users, an anonymous read is 401 before 402.
    if (last.answer.status !== 401 || shot.who !== 'nobody')
      expect(last, 402, 'a read of what was deleted');
    expect(await ask('PUT', url, 'administrator'), 402, 'an update of what was deleted');
    expect(await ask('DELETE', url, 'administrator'), 402, 'the second deletion');
  };

  /** What was read is not sent again while it is the same. */
  const again = async ({ shot, answer }: Exchange, url: string): Promise<void> => {
    const { etag } = answer.headers;
    if (answer.status !== 200 || etag === undefined) return;
    const same = await ask('GET', url, shot.who, { 'If-None-Match': etag });
    expect(same, 304, 'a second read');
  };

  /** The next page has nothing of the one before. */
  const paged = async ({ shot, answer, request }: Exchange): Promise<void> => {
    const next = nextOf(answer);
    if (next === undefined || /[?&](cursor|offset|limit)=/.test(request.url)) return;
    const url = `${request.url}${request.url.includes('?') ? '&' : '?'}limit=2`;
    const first = await ask('GET', url, shot.who);
    const cursor = nextOf(first.answer);
    if (cursor === undefined) return;
    const second = await ask('GET', `${url}&cursor=${encodeURIComponent(cursor)}`, shot.who);
    expect(second, 200, 'the next page');
    const twice = matchesOf(first.answer).filter((id) => matchesOf(second.answer).includes(id));
    if (twice.length > 0) report(`two pages have ${twice.join()}`, second);
  };

  return {
    async tell(shot) {
      const { operation } = shot;
      if (operation === undefined) return;
      if (!CHANGES.test(operation.name)) {
        const exchange = await fire(shot);
        if (exchange.answer.status === 200) await paged(exchange);
        return;
      }
      const exchange = await change(shot);
      const isCreate =
        operation.method === 'POST' && operation.path === `/api/v0/${operation.type}`;
      if (isCreate && exchange.answer.status === 200) await created(exchange, operation.path);
    },
  };
}

function nextOf({ text }: Answer): string | undefined {
  const next = at(parsed(text), 'response', 'next');
  return typeof next === 'string' ? next : undefined;
}

function matchesOf({ text }: Answer): readonly unknown[] {
  const matches = at(parsed(text), 'matches');
  return Array.isArray(matches) ? matches : [];
}
