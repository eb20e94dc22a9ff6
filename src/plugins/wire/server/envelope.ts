/** The envelope of every answer, as text. */
import { KEY_PREFIX, type Issue } from './errors';
import type { Refusal } from './exchange';

/** @param response an object, or the JSON text of one */
export function successText(response: object | string, transactionId: string): string {
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  return `{"success":true,"response":${text},"transactionId":"${transactionId}"}`;
}

/** @param refusal whose keys have no prefix yet */
export function failureText({ key, args, invalid }: Refusal, transactionId: string): string {
  return JSON.stringify({
    success: false,
    response: invalid.length > 0 ? { invalid: invalid.map(prefixed) } : {},
    transactionId,
    message: { key: KEY_PREFIX + key, args },
  });
}

const prefixed = ({ path, key, args }: Issue) => ({ path, key: KEY_PREFIX + key, args });
