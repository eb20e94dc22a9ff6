/** Limits the exports that are under way at once: each may take minutes, and space on the disk. */
import type { Core } from '@strapi/strapi';
import { fail } from '../../core/errors';

/** Exports of one caller, and of all. */
const MOST = { ofOne: 2, ofAll: 8 };

/** Seconds after which one may be tried again. */
const RETRY_AFTER = '10';

export class UnderWay {
  private readonly byOrigin = new Map<string, number>();
  private count = 0;

  /**
   * Counts an export of this caller until it leaves.
   *
   * @returns what has to be called when it has ended, once or more often
   * @throws ApiError UNAVAILABLE
   */
  enter(origin: string): () => void {
    const own = this.byOrigin.get(origin) ?? 0;
    if (own >= MOST.ofOne || this.count >= MOST.ofAll)
      throw fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });
    this.add(origin, 1);
    let isCounted = true;
    return () => {
      if (isCounted) this.add(origin, -1);
      isCounted = false;
    };
  }

  private add(origin: string, by: 1 | -1): void {
    const own = (this.byOrigin.get(origin) ?? 0) + by;
    this.count += by;
    if (own > 0) this.byOrigin.set(origin, own);
    else this.byOrigin.delete(origin);
  }
}

const all = new WeakMap<Core.Strapi, UnderWay>();

/** Those of a service. */
export function exportsOf(strapi: Core.Strapi): UnderWay {
  const known = all.get(strapi) ?? new UnderWay();
  all.set(strapi, known);
  return known;
}
