/** `from_assets`: a new encounter takes an absent time and position from its first photograph. */
import type { Clock } from '../../../core/clock';
import { notice } from '../../../core/notices';
import { latestStart } from '../../../core/time';
import type { Rule } from '../../objects/server/declare/behavior';
import type { Body, Change, Preparation } from '../../objects/server/declare/objects';
import type { Objects } from '../../objects/server/types';
import { attachable } from './attachable';

const DAY = 86_400_000;

/** The finding of a time to come, which is not taken. */
const AHEAD = 'time_ahead';

const CAMERA = ['taken_at', 'latitude', 'longitude'];

/** Fills an absent field with what the preparation has found. */
export const fromAsset =
  (name: string) =>
  (_: Body, { findings }: { readonly findings: Body }): unknown =>
    findings[name] ?? null;

/** Tells whoever makes an encounter that its first photograph says a time to come, so that none was taken from it. */
export const tellTimeAhead: Rule = {
  fields: ['from_assets'],
  *check(_, { findings, notices }) {
    const time = findings[AHEAD];
    if (typeof time === 'string') notices.push(notice('CAMERA_TIME_AHEAD', { time }));
    return [];
  },
};

/** Reads fields of a new encounter from the metadata of its first photograph, if the request asks for it. */
export const prepareEncounter =
  (objects: Objects, clock: Clock): Preparation =>
  async (change, caller) => {
    const asset = change.op === 'create' ? firstAsset(change) : null;
    if (asset === null) return change;
    // What the caller may not attach, the writer refuses.
    const found = await attachable(objects, asset, caller, CAMERA);
    return found
      ? { ...change, findings: { ...change.findings, ...fitting(change, found, clock()) } }
      : change;
  };

function firstAsset(change: Change): string | null {
  const body: unknown = 'body' in change ? change.body : null;
  if (typeof body !== 'object' || body === null) return null;
  const { from_assets: isAsked, assets } = body as Body;
  const first: unknown = Array.isArray(assets) ? assets[0] : null;
  return isAsked === true && typeof first === 'string' ? first : null;
}

function fitting(change: Change, { taken_at: time, latitude, longitude }: Body, now: number): Body {
  const body = 'body' in change ? change.body : {};
  const isAbsent = (name: string): boolean => (body[name] ?? null) === null;
  const taken = typeof time === 'string' && isAbsent('time') ? time : null;
  // A camera whose clock is wrong.
  const isAhead = taken !== null && (latestStart(taken) ?? Infinity) > now + DAY;
  return {
    ...(taken === null ? {} : { [isAhead ? AHEAD : 'time']: taken }),
    ...(isAbsent('latitude') && isAbsent('longitude') ? { latitude, longitude } : {}),
  };
}
