import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import supertest from 'supertest';
import { changeSettings } from '#app/api/site-settings/setup';
import { boot, type BootOptions, type Service } from '#app/boot/boot';
import { freshDatabase } from './database';
import { blankEnvironment, setEnvironment } from './environment';
import type { Json } from './json';

/** The built app, booted inside the test on a database of its own. */
export interface TestService {
  readonly strapi: Service['strapi'];
  readonly url: string;
  readonly dataDir: string;
  readonly request: ReturnType<typeof supertest>;
  /** Ends the service and drops its database. */
  close(): Promise<void>;
}

export type ServiceOptions = BootOptions & {
  readonly env?: Readonly<Record<string, string>>;
  /** Site settings, by their names on the wire. */
  readonly site?: Json;
};

/**
 * Boots once per test file, in `beforeAll`; call `close()` in `afterAll`. The machine's environment is ignored, only
 * `env` is used. There are no log lines unless `LOG_LEVEL` is set.
 */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const { env, site, ...bootOptions } = options;
  const database = await freshDatabase();
  const restore = setEnvironment({
    ...blankEnvironment,
    LOG_LEVEL: 'silent',
    PORT: String(await freePort()),
    ...database.env,
    ...env,
  });
  try {
    const service = await boot({ announce: () => undefined, ...bootOptions });
    if (site !== undefined) {
      await changeSettings(service.strapi, site).catch(async (error: unknown) => {
        await service.close();
        throw error;
      });
    }
    const url = service.url ?? '';
    return {
      strapi: service.strapi,
      url,
      dataDir: database.dataDir,
      request: supertest(url),
      async close() {
        await service.close();
        restore();
        await database.drop();
      },
    };
  } catch (error) {
    restore();
    await database.drop();
    throw error;
  }
}

/** Boots a service for the tests of the calling block, which stops it after them. */
export function useService(options: ServiceOptions = {}): () => TestService {
  let service: TestService | undefined;
  beforeAll(async () => {
    service = await startService(options);
  });
  afterAll(async () => {
    await service?.close();
  });
  return () => {
    if (!service) throw new Error('the service is running only while tests run');
    return service;
  };
}

/** A free port, which has to be known before the start because PUBLIC_URL contains it. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
