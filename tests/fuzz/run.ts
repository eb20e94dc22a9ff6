import * as fc from 'fast-check';
import type { Answer, Request } from '../helpers/http';
import { at, parsed } from '../helpers/json';
import { faultOf } from './answer-faults';
import { panelShots } from './panel-requests';
import { apiShots, type Shot } from './requests';
import type { Target } from './target';
import { withIds } from './values';

export interface Run {
  /** Answers by their status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Faults, each with the request that caused it. */
  readonly faults: readonly string[];
}

/** The number of concurrent requests. */
const AT_ONCE = 4;
/** Requests that are made up at once. */
const CHUNK = 500;
const MAX_FAULTS = 20;

/** Sends this many requests; the same seed generates the same ones. */
export async function run(
  target: Target,
  { count, seed }: { count: number; seed: number },
): Promise<Run> {
  const shots = fc.oneof(apiShots(target.document), panelShots());
  const ids: string[] = [];
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  for (let done = 0; done < count && faults.length < MAX_FAULTS; done += CHUNK) {
    const numRuns = Math.min(CHUNK, count - done);
    const chunk = fc.sample(shots, { seed: seed + done, numRuns });
    const next = chunk.values();
    const fireAll = async (): Promise<void> => {
      for (const shot of next) {
        const request = aimed(shot.request, ids);
        const answer = await fire(target, request, shot);
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        const fault = faultOf(request, answer);
        if (fault !== null) faults.push(`${fault}: ${described(request, shot, answer)}`);
        keep(ids, answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fireAll));
  }
  return { statuses, faults };
}

const aimed = (request: Request, ids: readonly string[]): Request => ({
  ...request,
  url: withIds(request.url, ids),
  ...(request.raw === undefined ? {} : { raw: withIds(String(request.raw), ids) }),
});

async function fire(target: Target, request: Request, { who, door }: Shot): Promise<Answer> {
  const answer = await target.send(request, who, door);
  const isOut = answer.status === 401 && !('Authorization' in (request.headers ?? {}));
  if (!isOut || who === 'nobody' || (door === 'panel' && who === 'user')) return answer;
  await target.renew(who);
  return answer;
}

/** Keeps the IDs of created objects. */
function keep(ids: string[], { status, text }: Answer): void {
  if (status !== 200 && status !== 201) return;
  const body = parsed(text);
  const id = at(body, 'response', 'id') ?? at(body, 'data', 'documentId');
  if (typeof id === 'string' && !ids.includes(id)) ids.push(id);
}

const described = (request: Request, { who, door }: Shot, { status, text }: Answer): string =>
  JSON.stringify({
    as: `${who} (${door})`,
    method: request.method,
    url: request.url,
    headers: request.headers,
    raw: String(request.raw ?? '').slice(0, 2000),
    status,
    text: text.slice(0, 500),
  });
