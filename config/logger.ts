import { winston } from '@strapi/logger';
import { readEnvironment } from '../src/boot/environment';

const { combine, errors, printf } = winston.format;

/** One JSON line per message, to the standard output. */
export default () => {
  const { logLevel } = readEnvironment();
  return {
    level: logLevel === 'silent' ? 'error' : logLevel,
    silent: logLevel === 'silent',
    format: combine(
      errors({ stack: true }),
      printf((line) => JSON.stringify({ time: new Date().toISOString(), ...line })),
    ),
    transports: [new winston.transports.Console()],
  };
};
