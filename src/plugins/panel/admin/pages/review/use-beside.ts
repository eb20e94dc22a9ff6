/** What is beside a record: others that may be the same, those of its event, its author's past, and its reviews. */
import { useEffect, useState } from 'react';
import { countEncounters, findAssets, findEncounters, readPast } from './api';
import type { Asset, Encounter, FoundRecords, PastChange, IncludedRecords } from './types';

/** Kilometres within which a record may be of the same animal, and milliseconds. */
const NEAR = 0.2;
const HOUR = 3_600_000;
const MOST = 6;

export interface Others {
  readonly records: readonly Encounter[];
  readonly included: IncludedRecords;
}

const NONE: Pick<FoundRecords<Encounter>, 'objects' | 'included'> = { objects: [] };

const NO_ACCOUNT: Others = { records: [], included: {} };

/** What is beside a record: read when it is shown, and again for the next one. */
export interface Context {
  /** With a photograph of the same bytes, or near in place and time. */
  readonly similar: Others;
  /** Of the same event. */
  readonly event: Others;
  readonly approved: number;
  readonly rejected: number;
  readonly history: readonly PastChange[];
}

async function similarTo(
  record: Encounter,
  assets: readonly Asset[],
  signal: AbortSignal,
): Promise<Others> {
  const hashes = assets.flatMap(({ sha256 }) => sha256 ?? []);
  const same =
    hashes.length > 0 ? await findAssets({ sha256: hashes.join(), limit: 20 }, signal) : [];
  const others = same.map(({ id }) => id).filter((id) => !record.assets.includes(id));
  const byPhotograph =
    others.length > 0 ? await findEncounters({ assets: others.join(), limit: MOST }, signal) : NONE;
  const at = Date.parse(record.time ?? '');
  const { latitude, longitude } = record;
  const isPlaced =
    latitude !== null && longitude !== null && /T/.test(record.time ?? '') && !Number.isNaN(at);
  const near = isPlaced
    ? await findEncounters(
        {
          near: `${latitude},${longitude},${NEAR}`,
          time_min: new Date(at - HOUR).toISOString(),
          time_max: new Date(at + HOUR).toISOString(),
          limit: MOST,
        },
        signal,
      )
    : NONE;
  const records = [...byPhotograph.objects, ...near.objects].filter(
    ({ id }, place, all) => id !== record.id && all.findIndex((one) => one.id === id) === place,
  );
  return {
    records,
    included: {
      ...byPhotograph.included,
      taxonomy: { ...byPhotograph.included?.taxonomy, ...near.included?.taxonomy },
    },
  };
}

async function eventOf({ id, event_id: event }: Encounter, signal: AbortSignal): Promise<Others> {
  if (event === null) return NO_ACCOUNT;
  const { objects, included = {} } = await findEncounters({ event_id: event, limit: 50 }, signal);
  return { records: objects.filter((one) => one.id !== id), included };
}

export function useBeside(record: Encounter | null, assets: readonly Asset[]): Context | null {
  const [context, setContext] = useState<(Context & { readonly id: string }) | null>(null);
  const id = record?.id ?? null;
  const version = record?.version ?? 0;
  const hashes = assets.map(({ sha256 }) => sha256).join();
  useEffect(() => {
    if (!record) return undefined;
    const left = new AbortController();
    const { signal } = left;
    const { owner } = record;
    const count = (state: string): Promise<number> =>
      owner === null ? Promise.resolve(0) : countEncounters({ owner, state }, signal);
    const load = async (): Promise<void> => {
      const [similar, event, approved, rejected, history] = await Promise.all([
        similarTo(record, assets, signal),
        eventOf(record, signal),
        count('approved'),
        count('rejected'),
        readPast(record.id, signal),
      ]);
      if (!signal.aborted)
        setContext({ id: record.id, similar, event, approved, rejected, history });
    };
    // Beside the record: without it, the record can be decided all the same.
    load().catch(() => undefined);
    return () => left.abort();
    // A record and its photographs are others by these.
  }, [id, version, hashes]);
  return context !== null && context.id === id ? context : null;
}
