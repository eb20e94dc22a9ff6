/** The password policy: common passwords are refused. */
import { createRequire } from 'node:module';
import type { Expected } from '../../../../core/errors';

/** What of the package is used. */
interface Dictionaries {
  readonly dictionary: Readonly<Record<'passwords-common', readonly string[]>>;
}

const load = createRequire(__filename);

/** What is loaded at the first new password: the list takes 40 ms and 12 MB. */
let common: ReadonlySet<string> | null = null;

function loadCommon(): ReadonlySet<string> {
  const { dictionary } = load('@zxcvbn-ts/language-common') as Dictionaries;
  // The list is sorted by frequency.
  return new Set(dictionary['passwords-common'].slice(0, 10_000).map((text) => text.toLowerCase()));
}

/** Whether a password is one of the 10,000 most common. */
const isCommon = (password: string): boolean =>
  (common ??= loadCommon()).has(password.toLowerCase());

/** The check of a new password. */
export const rejectCommon = (password: string): Expected | null =>
  isCommon(password) ? 'uncommon_password' : null;
