import { at, asObject, parsed } from '../helpers/json';
import type { Answer, Request } from '../helpers/http';

/** What the answers have told so far, of which later requests are made. */
export interface Known {
  /** Fills in what stands for an object, an ETag, a cursor, a claim or the caller. */
  fill(text: string, url: string, own: Own): string;
  learn(request: Request, answer: Answer): void;
}

/** The account of a caller. */
export type Own = Readonly<Record<'id' | 'email' | 'password', string>>;

/** An ID that no object has. */
export const NOTHING = '00000000-0000-4000-8000-00000000dead';

/** As many of each are kept: a run of a million requests makes a hundred thousand objects. */
const KEPT = 60;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** @param isProtected whether an ID is one of the accounts of the run, which are never an object of a request */
export function createKnown(isProtected: (id: string) => boolean): Known {
  const lists = new Map<string, string[]>();
  const etags = new Map<string, string>();
  const cursors = new Map<string, string>();

  const keep = (kind: string, value: unknown): void => {
    if (typeof value !== 'string' || isProtected(value)) return;
    const list = lists.get(kind) ?? [];
    lists.set(kind, list);
    if (list.includes(value)) return;
    list.push(value);
    if (list.length > KEPT) list.shift();
  };
  const forget = (type: string, id: string): void => {
    const list = lists.get(type) ?? [];
    lists.set(
      type,
      list.filter((one) => one !== id),
    );
    keep(`gone_${type}`, id);
  };
  const remember = (map: Map<string, string>, key: string, value: unknown): void => {
    if (typeof value !== 'string') return;
    map.delete(key);
    map.set(key, value);
    const [oldest] = map.keys();
    if (map.size > 10 * KEPT && oldest !== undefined) map.delete(oldest);
  };
  const any = (n: number): string | undefined => {
    const all = [...lists]
      .filter(([kind]) => !/gone|claim|session/.test(kind))
      .map(([, list]) => list);
    return pick(all[n % Math.max(all.length, 1)] ?? [], n);
  };
  const pick = (list: readonly string[], n: number): string | undefined =>
    list.at(-1 - (n % Math.max(list.length, 1)));

  return {
    fill(text, url, own) {
      return text.replace(/\{\{(\w+):(\w+)\}\}/g, (_, kind: string, n: string) => {
        if (kind === 'own') return own[n as keyof Own];
        if (kind === 'etag') return etags.get(UUID.exec(url)?.[0] ?? pathOf(url)) ?? '"1"';
        if (kind === 'cursor') return cursors.get(pathOf(url)) ?? 'x';
        return (
          (kind === 'any' ? any(Number(n)) : pick(lists.get(kind) ?? [], Number(n))) ?? NOTHING
        );
      });
    },
    learn({ method, url }, { status, headers, text }) {
      if (status !== 200) return;
      const path = pathOf(url);
      const [, , , type = '', second = ''] = path.split('/');
      if (method === 'GET' && headers.etag !== undefined)
        remember(etags, UUID.exec(path)?.[0] ?? path, headers.etag);
      if (method === 'DELETE') forget(type, second);
      if (method !== 'POST' && type !== 'search' && type !== 'sessions') return;
      const body = parsed(text);
      const response = asObject(at(body, 'response'));
      if (method === 'POST' && second === '') keep(type, response['id']);
      keep('claim', response['claim']);
      remember(cursors, path, response['next']);
      for (const one of listOf(at(body, 'matches')).slice(0, 3)) keep(second, one);
      for (const session of listOf(response['sessions']).map(asObject))
        if (session['current'] === false) keep('session', session['id']);
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;
