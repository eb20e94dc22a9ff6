/** The envelope of every answer, as text. */
import { KEY_PREFIX, type Issue } from '../../../core/errors';
import type { Refusal } from './request';

/**
 * @param response an object, or the JSON text of one
 * @param matches of a search
 */
export function successText(
  response: object | string,
  transactionId: string,
  matches?: readonly string[],
): string {
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  const further = matches ? `,"matches":${JSON.stringify(matches)}` : '';
  return `{"success":true,"response":${text}${further},"transactionId":"${transactionId}"}`;
}

/** @param refusal with keys without their prefix */
export function failureText({ key, args, invalid }: Refusal, transactionId: string): string {
  return JSON.stringify({
    success: false,
    response: invalid.length > 0 ? { invalid: invalid.map(prefixed) } : {},
    transactionId,
    message: { key: KEY_PREFIX + key, args },
  });
}

const prefixed = ({ path, key, args }: Issue) => ({ path, key: KEY_PREFIX + key, args });
