/**
 * What the answer of a success may tell its user besides the result (`message` of the envelope): each key with its
 * arguments. Its texts are in `public/locales/{lng}/translation.json` under `API_RESPONSE_<KEY>`, as those of errors.
 */
import { KEY_PREFIX, type ArgShape, type Args, type ArgsOf } from './errors';

export const NOTICES = {
  /** A protected taxon without a parent: records that are identified to a rank above it alone are not covered. */
  RANKS_ABOVE_OPEN: { name: 'text' },
  /** A reference to an object that was merged into another one, which is referred to instead. */
  TAKEN_AS_MERGED: { path: 'text', into: 'text' },
  /** An adopted report, whose `external_id` another encounter of the adopter has: it is in `verbatim` now. */
  EXTERNAL_ID_MOVED: { external_id: 'text' },
  /** A new encounter, the first photograph of which says a time to come: it has no time. */
  CAMERA_TIME_AHEAD: { time: 'text' },
} as const satisfies Record<string, ArgShape>;

export type NoticeKey = keyof typeof NOTICES;

/** One thing that a success tells. */
export interface Notice {
  readonly key: NoticeKey;
  readonly args: Args;
}

/** Makes a notice: `notice('RANKS_ABOVE_OPEN', { name })`. */
export function notice<K extends NoticeKey>(key: K, args: ArgsOf<(typeof NOTICES)[K]>): Notice {
  return { key, args };
}

/** `message` of a success. */
export interface SuccessMessage {
  readonly key: string;
  readonly args: Args;
  /** The others, where there are several. */
  readonly further?: readonly { readonly key: string; readonly args: Args }[];
}

/** `message` of a success with these notices; none without any. */
export function messageOf(notices: readonly Notice[] = []): SuccessMessage | undefined {
  const [first, ...further] = notices.map(({ key, args }) => ({ key: KEY_PREFIX + key, args }));
  if (!first) return undefined;
  return further.length === 0 ? first : { ...first, further };
}
