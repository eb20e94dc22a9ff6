/** Which passwords are taken: not those that everybody tries first. */
import { dictionary } from '@zxcvbn-ts/language-common';

/** The list is in the order of how often they occur. */
const COMMON = new Set(
  dictionary['passwords-common'].slice(0, 10_000).map((text) => text.toLowerCase()),
);

/** Whether a password is one of the 10,000 most common. */
export const isCommon = (password: string): boolean => COMMON.has(password.toLowerCase());
