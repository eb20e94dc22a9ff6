import { boot, type Service } from '#app/boot/boot';
import { freshDatabase } from './database';
import { blankEnvironment, setEnvironment } from './environment';

/** One database for several consecutive boots, for tests of restarts. */
export interface Boots {
  /** Boots without a port. */
  start(): Promise<Service>;
  /** After the last service is closed. */
  drop(): Promise<void>;
}

export async function prepareBoots(env: Readonly<Record<string, string>> = {}): Promise<Boots> {
  const database = await freshDatabase();
  const restore = setEnvironment({
    ...blankEnvironment,
    LOG_LEVEL: 'silent',
    ...database.env,
    ...env,
  });
  return {
    start: () => boot({ listen: false }),
    async drop() {
      restore();
      await database.drop();
    },
  };
}
