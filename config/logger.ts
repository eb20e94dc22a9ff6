import { winston } from '@strapi/logger';
import { readEnvironment } from '../src/boot/environment';
import { createRepetitionFilter, logLine } from '../src/core/log-line';
import { writeLine } from '../src/core/log-writer';

const { combine, errors, printf } = winston.format;

/** The property of an entry that the format has put its line into (https://github.com/winstonjs/triple-beam). */
const MESSAGE = Symbol.for('message');

/** Winston's own transport emits an event for each line besides, which takes as long as writing it. */
class Lines extends winston.transports.Console {
  override log(entry: Readonly<Record<symbol, unknown>>, next: () => void): void {
    writeLine(String(entry[MESSAGE]));
    next();
  }
}

/** One JSON line per message, on the standard output. */
export default () => {
  const { logLevel } = readEnvironment();
  const filter = createRepetitionFilter(Date.now);
  return {
    level: logLevel === 'silent' ? 'error' : logLevel,
    silent: logLevel === 'silent',
    format: combine(
      errors({ stack: true }),
      winston.format((info) => filter(info) ?? false)(),
      printf((info) => logLine(info, new Date())),
    ),
    transports: [new Lines()],
  };
};
