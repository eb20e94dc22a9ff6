import type { KeptContext } from './behavior';

/**
 * Milliseconds after which no server that shares the database changes objects by what was before any more: settings and
 * protected taxa that have changed (`site-store.ts`), and the declarations of earlier code (`boot/release.ts`).
 */
const SPREAD = 5000;

/** When a job is due that makes anew what other servers may still write by earlier rules. Milliseconds since 1970. */
export const dueForAll = ({ isShared, now }: Pick<KeptContext, 'isShared' | 'now'>): number =>
  isShared ? now + SPREAD : now;
