/**
 * Parts of the contract that do not exist yet and that declarations may name: types that references point to, and
 * features that derive a field. A part is taken off the list when it is built; the start then fails until everything
 * that depends on it is declared.
 */
export const AWAITED = ['merge'] as const;
export type Awaited = (typeof AWAITED)[number];

export const isAwaited = (name: string): boolean => (AWAITED as readonly string[]).includes(name);
