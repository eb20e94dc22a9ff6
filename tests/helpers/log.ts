import type { Core } from '@strapi/strapi';
import { setImmediate } from 'node:timers/promises';

/**
 * What a service writes to its log meanwhile, at the level `info`: the text of the standard output.
 *
 * @param work what is done meanwhile
 */
export async function loggedDuring(
  { log }: Core.Strapi,
  work: () => Promise<unknown>,
): Promise<string> {
  const { silent, level } = log;
  let text = '';
  const spy = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  Object.assign(log, { silent: false, level: 'info' });
  try {
    await work();
    // Lines of requests are written at the end of a turn of the event loop.
    await setImmediate();
  } finally {
    Object.assign(log, { silent, level });
    spy.mockRestore();
  }
  return text;
}
