import { authorizationOf } from './callers';
import type { Answer } from './http';
import { at, parsed, type Json } from './json';
import { ask, keyOf, login, makePerson, responseOf, type Person } from './people';
import type { World } from './world';

/** A person with a session. */
export interface Member extends Person {
  readonly secret: string;
}

/** The caller: a person, nobody, or a moderator. */
export type Who = Member | null | 'moderator';

/** Sends requests as several people, and gives the answers. */
export function useMembers(world: () => World) {
  const as = (who: Who, method: string, path: string, body?: Json): Promise<Answer> => {
    if (who !== null && who !== 'moderator') return ask(world(), method, path, who.secret, body);
    const headers = who === null ? {} : authorizationOf('moderator');
    return world().send({ method, url: `/api/v0/${path}`, headers, ...(body ? { body } : {}) });
  };
  return {
    as,

    newPerson: async (): Promise<Member> => {
      const person = await makePerson(world().service);
      return { ...person, secret: await login(world(), person) };
    },

    /** The response of an answer, or status and key of the refusal. */
    done: async (answer: Promise<Answer>): Promise<unknown> => {
      const given = await answer;
      return given.status === 200 ? responseOf(given) : [given.status, keyOf(given)];
    },

    /** The status, and all faults. */
    invalid: async (answer: Promise<Answer>): Promise<unknown> => {
      const { status, text } = await answer;
      const faults = at(parsed(text), 'response', 'invalid') as Json[] | undefined;
      return [status, (faults ?? []).map(({ path, key, args }) => [path, key, args])];
    },

    read: async (who: Who, path: string): Promise<Json> => responseOf(await as(who, 'GET', path)),
  };
}

/** The value of `done` for a refusal. */
export const refusal = (status: number, key: string) => [status, `API_RESPONSE_${key}`];
