/** The filters of the queue and the open record, in the address: so that it can be sent to somebody. */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { QueueFilter } from './api';

/** In the place of an author: reports without an account. */
export const NO_ACCOUNT = 'null';

export interface PageFilter extends QueueFilter {
  readonly isMarkedOnly: boolean;
  readonly open: string | null;
  readonly change: (changes: Readonly<Record<string, string | null>>) => void;
}

export function usePageFilter(): PageFilter {
  const [search, setSearch] = useSearchParams();
  const change = useCallback(
    (changes: Readonly<Record<string, string | null>>): void =>
      setSearch(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(changes)) {
            if (value === null || value === '') after.delete(name);
            else after.set(name, value);
          }
          return after;
        },
        { replace: true },
      ),
    [setSearch],
  );
  return useMemo(
    () => ({
      q: search.get('q') ?? '',
      owner: search.get('owner') ?? '',
      taxon: search.get('taxon') ?? '',
      isMarkedOnly: search.get('second') === '1',
      open: search.get('open'),
      change,
    }),
    [search, change],
  );
}
