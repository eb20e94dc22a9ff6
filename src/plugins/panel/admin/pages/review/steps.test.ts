import { expect, test } from '@jest/globals';
import { decide, emptyDraft, fromPhotographs, isEmpty, movedSince, takeBack } from './steps';
import type { Encounter } from './types';

const record: Encounter = {
  ...{ id: 'e1', version: 3, state: 'pending', review_note: null, owner: 'u1', taxonomy: 't1' },
  ...{
    individual: null,
    time: '2026-01',
    latitude: 1,
    longitude: 2,
    locality: null,
    group_size: 1,
  },
  ...{ remarks: null, submitter_email: null, event_id: null, coordinate_uncertainty: null },
  ...{ level: 'open', told_from: null, assets: [], created_at: '2026-01-02T00:00:00Z' },
};
const approve = { state: 'approved', note: null } as const;
const newId = (): string => 'i1';

test('a decision without edits is one review of the version that was seen', () => {
  const { operations } = decide(record, emptyDraft(record), approve, newId);
  expect(operations).toEqual([
    { op: 'review', type: 'encounter', id: 'e1', if_match: '"3"', body: { state: 'approved' } },
  ]);
});

test('edits come first and check the version, and a typed individual is made for them', () => {
  const draft = {
    base: record,
    edits: { taxonomy: 't2', locality: null },
    newIndividual: 'Tusker',
  };
  expect(isEmpty(record, draft)).toBe(false);
  const step = decide(record, draft, { state: 'approved', note: 'Seen' }, newId);
  expect(step.operations).toEqual([
    {
      op: 'create',
      type: 'individual',
      body: {
        id: 'i1',
        names: [{ context: 'nickname', value: 'Tusker', preferred: true }],
        taxonomy: 't2',
      },
    },
    {
      ...{ op: 'update', type: 'encounter', id: 'e1', if_match: '"3"' },
      body: { taxonomy: 't2', individual: 'i1' },
    },
    {
      ...{ op: 'review', type: 'encounter', id: 'e1' },
      body: { state: 'approved', review_note: 'Seen' },
    },
  ]);
  expect(takeBack(step, 5)).toEqual([
    { op: 'review', type: 'encounter', id: 'e1', if_match: '"5"', body: { state: 'pending' } },
    { op: 'update', type: 'encounter', id: 'e1', body: { taxonomy: 't1', individual: null } },
    { op: 'delete', type: 'individual', id: 'i1' },
  ]);
});

test('what somebody else has changed is told field by field, beside what was typed', () => {
  const draft = { base: record, edits: { time: '2026-02' }, newIndividual: null };
  const now: Encounter = { ...record, version: 4, time: '2026-03', state: 'approved' };
  expect(movedSince(draft, now)).toEqual([
    { name: 'time', before: '2026-01', now: '2026-03', typed: '2026-02' },
    { name: 'state', before: 'pending', now: 'approved', typed: undefined },
  ]);
});

test('time and place may come from different photographs', () => {
  const none = { taken_at: null, latitude: null, longitude: null };
  expect(fromPhotographs([none])).toEqual({});
  expect(
    fromPhotographs([
      { ...none, taken_at: '2026-01-02T03:04' },
      { ...none, latitude: -1, longitude: 30 },
    ]),
  ).toEqual({ time: '2026-01-02T03:04', latitude: -1, longitude: 30 });
});
