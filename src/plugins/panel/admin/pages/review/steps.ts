/** What a decision sends, and what takes it back: pure. */
import type { BatchOperation } from '../../parts/interface';
import type { Editable, Encounter, RecordState } from './types';

/** The fields that are edited beside a decision. */
export const EDITABLE = [
  'taxonomy',
  'individual',
  'time',
  'latitude',
  'longitude',
  'locality',
  'group_size',
  'remarks',
] as const satisfies readonly (keyof Editable)[];

export type Edits = Partial<Editable>;

/** What was typed for an encounter, and the encounter as it was then. */
export interface TypedDraft {
  readonly base: Encounter;
  readonly edits: Edits;
  /** The name of an individual that is to be made with the decision. */
  readonly newIndividual: string | null;
}

export const emptyDraft = (base: Encounter): TypedDraft => ({
  base,
  edits: {},
  newIndividual: null,
});

/** The edits that change something of an encounter. */
export const changesOf = (record: Encounter, edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).filter(([name, value]) => record[name as keyof Editable] !== value),
  );

/** Whether a draft changes nothing. */
export const isEmpty = (record: Encounter, { edits, newIndividual }: TypedDraft): boolean =>
  newIndividual === null && Object.keys(changesOf(record, edits)).length === 0;

/** A decision over one encounter that is sent, with all that taking it back needs. */
export interface ReviewStep {
  readonly record: Encounter;
  readonly draft: TypedDraft;
  readonly changes: Edits;
  readonly made: string | null;
  readonly state: RecordState;
  readonly operations: readonly BatchOperation[];
}

const tag = (version: number): string => `"${version}"`;

/**
 * The operations of a decision: the edits first, so that what is decided is what is seen. They check the version that was
 * seen; the review follows in the same transaction.
 *
 * @param newId the ID of an individual that is made
 */
export function decide(
  record: Encounter,
  draft: TypedDraft,
  decision: { readonly state: RecordState; readonly note: string | null },
  newId: () => string,
): ReviewStep {
  const made = draft.newIndividual === null ? null : newId();
  const changes = {
    ...changesOf(record, draft.edits),
    ...(made === null ? {} : { individual: made }),
  };
  const seen = { if_match: tag(record.version) };
  const hasChanges = Object.keys(changes).length > 0;
  const { id } = record;
  const taxonomy = draft.edits.taxonomy ?? record.taxonomy;
  const operations: BatchOperation[] = [];
  if (made !== null)
    operations.push({
      op: 'create',
      type: 'individual',
      body: {
        id: made,
        names: [{ context: 'nickname', value: draft.newIndividual, preferred: true }],
        ...(taxonomy === null ? {} : { taxonomy }),
      },
    });
  if (hasChanges) operations.push({ op: 'update', type: 'encounter', id, ...seen, body: changes });
  operations.push({
    op: 'review',
    type: 'encounter',
    id,
    ...(hasChanges ? {} : seen),
    body: {
      state: decision.state,
      ...(decision.note === null ? {} : { review_note: decision.note }),
    },
  });
  return { record, draft, changes, made, state: decision.state, operations };
}

/**
 * The operations that take a decision back, and the edits and the individual that were made with it.
 *
 * @param version the one that the decision answered
 */
export function takeBack(
  { record, changes, made }: ReviewStep,
  version: number,
): readonly BatchOperation[] {
  const { id, state, review_note } = record;
  const before = Object.fromEntries(
    Object.keys(changes).map((name) => [name, record[name as keyof Editable]]),
  );
  const review = { state, ...(review_note === null ? {} : { review_note }) };
  return [
    { op: 'review', type: 'encounter', id, if_match: tag(version), body: review },
    ...(Object.keys(before).length === 0
      ? []
      : [{ op: 'update', type: 'encounter', id, body: before } as const]),
    ...(made === null ? [] : [{ op: 'delete', type: 'individual', id: made } as const]),
  ];
}

/** A field that somebody else has changed since a draft was begun. */
export interface Moved {
  readonly name: keyof Encounter;
  readonly before: unknown;
  readonly now: unknown;
  /** What was typed there; undefined for nothing. */
  readonly typed: unknown;
}

const COMPARED = [...EDITABLE, 'state', 'review_note', 'owner'] as const;

/** What has changed between the encounter of a draft and the present one, field by field. */
export const movedSince = ({ base, edits }: TypedDraft, record: Encounter): readonly Moved[] =>
  COMPARED.filter((name) => base[name] !== record[name]).map((name) => ({
    name,
    before: base[name],
    now: record[name],
    typed: (edits as Readonly<Record<string, unknown>>)[name],
  }));

/** Time and place of the first photograph that has them: what an encounter takes from it. */
export function fromPhotographs(
  assets: readonly {
    readonly taken_at: string | null;
    readonly latitude: number | null;
    readonly longitude: number | null;
  }[],
): Edits {
  const timed = assets.find(({ taken_at }) => taken_at !== null);
  const placed = assets.find(({ latitude, longitude }) => latitude !== null && longitude !== null);
  return {
    ...(timed ? { time: timed.taken_at } : {}),
    ...(placed ? { latitude: placed.latitude, longitude: placed.longitude } : {}),
  };
}
