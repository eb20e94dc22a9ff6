/** Which passwords are taken: not those that everybody tries first. */
import { dictionary } from '@zxcvbn-ts/language-common';
import type { Expected } from '../../../../core/errors';

/** The list is in the order of how often they occur. */
const COMMON = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((text) => text.toLowerCase()),
);

/** Whether a password is one of the 10,000 most common. */
const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase());

/** Of a new password. */
export const rejectCommon = (password: string): Expected | null =>
  isCommon(password) ? 'uncommon_password' : null;
