const FIGURES = /encounter_count|first_seen|last_seen/;

/**
 * The callers for whom what a query finds follows from what they read. Filters and sort go by the public figures of
 * individuals; who owns one reads others, in which its own encounters are.
 */
export const askersOf = (callers: readonly string[], type: string, query: URLSearchParams) => {
  const isOfFigures = type === 'individual' && FIGURES.test(query.toString());
  return callers.filter(
    (name) =>
      (type !== 'collaboration' || name !== 'nobody') &&
      (!isOfFigures || name === 'nobody' || name === 'moderator'),
  );
};
