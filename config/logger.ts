import { winston } from '@strapi/logger';
import { readEnvironment } from '../src/boot/environment';
import { createRepetitionFilter, logLine } from '../src/core/log-line';

const { combine, errors, printf } = winston.format;

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
    transports: [new winston.transports.Console()],
  };
};
