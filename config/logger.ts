import { winston } from '@strapi/logger';
import { readEnvironment } from '../src/boot/environment';
import { createRepetitionFilter, writeLine } from '../src/core/log-line';

const { combine, errors } = winston.format;

/** Winston's own transport emits an event for each line besides, which takes as long as writing it. */
class Lines extends winston.transports.Console {
  override log(entry: Readonly<Record<string, unknown>>, next: () => void): void {
    writeLine(entry);
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
    format: combine(errors({ stack: true }), winston.format((info) => filter(info) ?? false)()),
    transports: [new Lines()],
  };
};
