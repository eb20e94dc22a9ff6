import { KEY_PREFIX, type ArgShape } from '../core/errors';
import { messageText } from '../core/messages';

/** The English text of a key (without its prefix), with placeholders for the arguments. */
export const messageTemplate = (key: string, args: ArgShape): string =>
  messageText(
    KEY_PREFIX + key,
    Object.fromEntries(Object.keys(args).map((name) => [name, `{${name}}`])),
  )
    .replace('EXPECTED_{expected}', '{expected}')
    .replace('TYPE_{type}', '{type}');
