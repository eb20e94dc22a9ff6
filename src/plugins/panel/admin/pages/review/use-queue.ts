/** The encounters that wait, the oldest first, page after page. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { encountersById, findMarked, findWaiting, mark, type QueueFilter } from './api';
import type { Encounter, FoundRecords, IncludedRecords } from './types';

/** Records left when the next page is asked for. */
const LOW = 15;

export interface Queue {
  readonly records: readonly Encounter[];
  readonly included: IncludedRecords;
  /** All that wait, the present page and beyond; null while it is not known. */
  readonly total: number | null;
  readonly isTotalExact: boolean;
  readonly marked: ReadonlySet<string>;
  readonly hasFailed: boolean;
  readonly remove: (ids: readonly string[]) => void;
  /** Puts a record at a place of the queue, or its present state in place of the old one. */
  readonly put: (record: Encounter, at?: number) => void;
  /** Reads a record again. @returns null where it is gone */
  readonly refresh: (id: string) => Promise<Encounter | null>;
  readonly setMark: (id: string, isMarked: boolean) => void;
}

const merged = (one: IncludedRecords, other: IncludedRecords = {}): IncludedRecords => ({
  taxonomy: { ...one.taxonomy, ...other.taxonomy },
  individual: { ...one.individual, ...other.individual },
  user: { ...one.user, ...other.user },
});

export function useQueue(filter: QueueFilter, isMarkedOnly: boolean): Queue {
  const { q, owner, taxon } = filter;
  const [records, setRecords] = useState<readonly Encounter[]>([]);
  const [included, setIncluded] = useState<IncludedRecords>({});
  const [total, setTotal] = useState<number | null>(null);
  const [isTotalExact, setTotalExact] = useState(true);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [hasFailed, setFailed] = useState(false);
  const next = useRef<string | null>(null);
  const isAsking = useRef(false);

  const take = useCallback((found: FoundRecords<Encounter>, isFirst: boolean): void => {
    next.current = found.next;
    setIncluded((known) => merged(known, found.included));
    setRecords((known) => {
      const shown = new Set(isFirst ? [] : known.map(({ id }) => id));
      return [...(isFirst ? [] : known), ...found.objects.filter(({ id }) => !shown.has(id))];
    });
    if (!isFirst) return;
    setTotal(found.total ?? found.objects.length);
    setTotalExact(found.total_is_exact !== false);
  }, []);

  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const ids = await findMarked();
      const found = isMarkedOnly
        ? await findMarkedRecords(ids)
        : await findWaiting({ q, owner, taxon }, null);
      if (!isCurrent) return;
      setMarked(new Set(ids));
      setFailed(false);
      take(found, true);
    };
    setTotal(null);
    load().catch(() => isCurrent && setFailed(true));
    return () => {
      isCurrent = false;
    };
  }, [q, owner, taxon, isMarkedOnly, take]);

  useEffect(() => {
    if (records.length > LOW || next.current === null || isAsking.current || isMarkedOnly) return;
    isAsking.current = true;
    findWaiting({ q, owner, taxon }, next.current)
      .then((found) => take(found, false))
      .catch(() => undefined)
      .finally(() => {
        isAsking.current = false;
      });
  }, [records.length, q, owner, taxon, isMarkedOnly, take]);

  const remove = useCallback((ids: readonly string[]): void => {
    const gone = new Set(ids);
    setRecords((known) => known.filter(({ id }) => !gone.has(id)));
    setTotal((count) => (count === null ? null : Math.max(0, count - gone.size)));
  }, []);

  const put = useCallback((record: Encounter, at?: number): void => {
    setRecords((known) => {
      const place = known.findIndex(({ id }) => id === record.id);
      if (place >= 0) return known.map((one) => (one.id === record.id ? record : one));
      setTotal((count) => (count === null ? null : count + 1));
      return [...known.slice(0, at ?? 0), record, ...known.slice(at ?? 0)];
    });
  }, []);

  const refresh = useCallback(async (id: string): Promise<Encounter | null> => {
    const found = await encountersById([id]);
    setIncluded((known) => merged(known, found.included));
    return found.objects[0] ?? null;
  }, []);

  const setMark = useCallback((id: string, isMarked: boolean): void => {
    setMarked((known) => {
      const ids = new Set(known);
      if (isMarked) ids.add(id);
      else ids.delete(id);
      return ids;
    });
    void mark(id, isMarked).catch(() => undefined);
  }, []);

  return {
    records,
    included,
    total,
    isTotalExact,
    marked,
    hasFailed,
    remove,
    put,
    refresh,
    setMark,
  };
}

/** As many as one request may name. */
const MOST = 100;

async function findMarkedRecords(ids: readonly string[]): Promise<FoundRecords<Encounter>> {
  if (ids.length === 0) return { objects: [], next: null, total: 0 };
  const found = await encountersById(ids.slice(0, MOST));
  const waiting = found.objects.filter(({ state }) => state === 'pending');
  return { ...found, objects: waiting, total: ids.length, next: null };
}
