/** The open record: its photographs, what is typed for it, and what somebody else has changed since. */
import { useCallback, useEffect, useState } from 'react';
import type { Pictures } from '../../parts/pictures';
import { findAssets } from './api';
import { keepDraft, readDraft } from './drafts';
import { emptyDraft, isEmpty, movedSince, type TypedDraft, type Edits, type Moved } from './steps';
import type { Asset, Encounter } from './types';

export interface OpenRecord {
  readonly assets: readonly Asset[];
  readonly draft: TypedDraft | null;
  readonly moved: readonly Moved[];
  readonly edit: (edits: Edits) => void;
  readonly setNewIndividual: (name: string | null) => void;
  /** Forgets what was typed in a field. */
  readonly forget: (name: keyof Edits) => void;
  /** Takes the present state for the one that was seen. */
  readonly accept: () => void;
}

const NOTHING: readonly Moved[] = [];

/** @param next the record that is likely to follow, whose photographs are loaded ahead */
export function useRecord(
  record: Encounter | null,
  next: Encounter | null,
  pictures: Pictures,
): OpenRecord {
  const [assets, setAssets] = useState<readonly Asset[]>([]);
  const [draft, setDraft] = useState<TypedDraft | null>(null);
  const id = record?.id ?? null;
  const version = record?.version ?? 0;
  const photographs = record?.assets.join() ?? '';
  const following = next?.assets.join() ?? '';

  useEffect(() => {
    setDraft(record ? (readDraft(record.id) ?? emptyDraft(record)) : null);
    // A record is another one by its ID and its version.
  }, [id, version]);

  useEffect(() => {
    setAssets([]);
    if (photographs === '') return undefined;
    const left = new AbortController();
    findAssets({ id: photographs, limit: 100 }, left.signal)
      .then((found) => left.signal.aborted || setAssets(found))
      .catch(() => undefined);
    for (const one of photographs.split(',')) void pictures.prepare(one, 'large');
    return () => left.abort();
  }, [photographs, pictures]);

  useEffect(() => {
    if (following === '') return;
    for (const one of following.split(',').slice(0, 3)) void pictures.prepare(one, 'large');
  }, [following, pictures]);

  const change = useCallback(
    (to: (before: TypedDraft) => TypedDraft): void =>
      setDraft((before) => {
        if (!before || !record) return before;
        const after = to(before);
        const isUnchanged = isEmpty(record, after) && after.base.version === record.version;
        keepDraft(record.id, isUnchanged ? null : after);
        return after;
      }),
    [record],
  );
  const isOwn = draft !== null && draft.base.id === id;
  return {
    assets,
    draft: isOwn ? draft : null,
    moved:
      isOwn && record && draft.base.version !== record.version
        ? movedSince(draft, record)
        : NOTHING,
    edit: (edits) => change((before) => ({ ...before, edits: { ...before.edits, ...edits } })),
    setNewIndividual: (name) => change((before) => ({ ...before, newIndividual: name })),
    forget: (name) =>
      change((before) => {
        const kept = Object.entries(before.edits).filter(([field]) => field !== name);
        return { ...before, edits: Object.fromEntries(kept) };
      }),
    accept: () => change((before) => (record ? { ...before, base: record } : before)),
  };
}
