/**
 * Values that are there at once or later. Where a value is there, nothing waits: a promise costs a fiftieth of a small
 * answer while `AsyncLocalStorage` is in use, which Strapi's transactions are, on Node versions before 24.
 */
export type Soon<T> = T | Promise<T>;

/** Whether a value is yet to come. By what it has, because a promise of another realm is no instance of `Promise`. */
export const isLater = <T>(value: Soon<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** Goes on with a value, at once if it is there. `next` may throw; then so does this, or its promise is rejected. */
export const andThen = <T, R>(value: Soon<T>, next: (value: T) => Soon<R>): Soon<R> =>
  isLater(value) ? value.then(next) : next(value);
