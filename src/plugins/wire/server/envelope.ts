/** The envelope of every answer, as text. */
import { KEY_PREFIX, type Issue } from '../../../core/errors';
import type { Answer, Refusal } from './request';

export function successText(
  { response = {}, matches, message }: Pick<Answer, 'response' | 'matches' | 'message'>,
  transactionId: string,
): string {
  const text = typeof response === 'string' ? response : JSON.stringify(response);
  const found = matches ? `,"matches":${JSON.stringify(matches)}` : '';
  const told = message ? `,"message":${JSON.stringify(message)}` : '';
  return `{"success":true,"response":${text}${found},"transactionId":"${transactionId}"${told}}`;
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
