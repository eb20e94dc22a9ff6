/**
 * A stock Strapi in the folder that the benchmark has generated: its own router, controllers, document service and
 * middlewares.
 */
import { createStrapi } from '@strapi/strapi';
import type { AddressInfo } from 'node:net';
import { serve } from './child';

void serve(async () => {
  const appDir = process.env.BENCH_STOCK_APP ?? '';
  const strapi = createStrapi({ appDir, distDir: appDir, serveAdminPanel: false });
  await strapi.start();
  const { port } = strapi.server.httpServer.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => strapi.destroy() };
});
