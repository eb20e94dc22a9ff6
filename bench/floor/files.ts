/** A bare static file server over the uploads of its data directory: what bytes cost without rights. */
import fastifyStatic from '@fastify/static';
import fastify from 'fastify';
import { join } from 'node:path';
import { serve } from '../contenders/child';

void serve(async () => {
  const app = fastify();
  await app.register(fastifyStatic, {
    root: join(process.env.OMS_DATA_DIR ?? '', 'public', 'uploads'),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
});
