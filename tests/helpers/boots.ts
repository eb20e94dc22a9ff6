import { boot, type BootOptions, type Service } from '#app/boot/boot';
import { freshDatabase } from './database';
import { blankEnvironment, setEnvironment } from './environment';

/** One database for several consecutive boots, for tests of restarts. */
export interface Boots {
  /** The variables that name the database. */
  readonly env: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** Boots, without a port by default. */
  start(options?: BootOptions): Promise<Service>;
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
    env: database.env,
    dataDir: database.dataDir,
    start: (options) => boot({ listen: false, ...options }),
    async drop() {
      restore();
      await database.drop();
    },
  };
}
