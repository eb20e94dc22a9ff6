/** The password policy: common passwords are refused. */
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Expected } from '../../../../core/errors';

/** The list is sorted by frequency. */
const COMMON = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((text) => text.toLowerCase()),
);

/** Whether a password is one of the 10,000 most common. */
const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase());

/** The check of a new password. */
export const rejectCommon = (password: string): Expected | null =>
  isCommon(password) ? 'uncommon_password' : null;
