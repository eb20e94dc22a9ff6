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
export function failureText(refusal: Refusal, transactionId: string): string {
  const { response, message } = failure(refusal);
  return JSON.stringify({ success: false, response, transactionId, message });
}

/** What a refusal says, without the envelope. */
export const failure = ({ key, args, invalid, results }: Refusal) => ({
  response: {
    ...(invalid.length > 0 ? { invalid: invalid.map(prefixed) } : {}),
    ...(results ? { results } : {}),
  },
  message: { key: KEY_PREFIX + key, args },
});

const prefixed = ({ path, key, args }: Issue) => ({ path, key: KEY_PREFIX + key, args });
