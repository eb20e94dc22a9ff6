/** The floor: the minimal cost of the four calls, in Fastify. */
import Fastify, { type FastifyInstance } from 'fastify';
import { createHash, randomUUID } from 'node:crypto';
import type { Encounter } from './encounter';
import type { Store } from './store';

/** The headers of every answer of the service. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-site',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  Vary: 'Cookie, Authorization, Origin',
  'Cache-Control': 'private, no-store',
  'Content-Type': 'application/json; charset=utf-8',
};

const text = (maxLength = 255) => ({ type: ['string', 'null'], maxLength });
const number = (minimum: number, maximum: number) => ({
  type: ['number', 'null'],
  minimum,
  maximum,
});
const choice = (...values: readonly string[]) => ({ enum: [...values, null] });

/** Fastify's validation of a body, which is compiled and the cheapest one. */
const BODY = {
  type: 'object',
  additionalProperties: false,
  properties: {
    taxonomy: { type: 'string', minLength: 36, maxLength: 36 },
    event_id: text(36),
    time: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}Z$' },
    verbatim_time: text(),
    latitude: number(-90, 90),
    longitude: number(-180, 180),
    coordinate_uncertainty: number(0, 20_037_509),
    location_id: text(100),
    locality: text(),
    country_code: { type: ['string', 'null'], pattern: '^[A-Z]{2}$' },
    elevation: number(-11_000, 9000),
    depth: number(0, 11_000),
    sex: choice('male', 'female', 'unknown'),
    life_stage: choice('newborn', 'juvenile', 'subadult', 'adult', 'unknown'),
    living_status: choice('alive', 'dead', 'unknown'),
    group_size: { type: ['integer', 'null'], minimum: 1, maximum: 10_000_000 },
    behavior: text(),
    basis_of_record: choice('human_observation', 'machine_observation', 'specimen'),
    observers: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 200 } },
    sampling_protocol: text(),
    measurements: {
      type: 'array',
      maxItems: 1000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'value'],
        properties: { type: text(), value: { type: ['number', 'string'] }, unit: text() },
      },
    },
    tags: { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 100 } },
    remarks: text(10_000),
    license: choice('CC0-1.0', 'CC-BY-4.0', 'CC-BY-NC-4.0'),
    custom_fields: {
      type: 'object',
      additionalProperties: false,
      properties: { weather: text(10_000) },
    },
  },
};

interface ById {
  Params: { id: string };
  Querystring: { include?: string };
}

interface WithBody extends ById {
  Body: Encounter;
}

const hashOf = (body: string): string => createHash('sha1').update(body).digest('base64url');

const envelope = (response: string, id: string): string =>
  `{"success":true,"response":${response},"transactionId":"${id}"}`;

/**
 * A Fastify app that answers the four calls from a store.
 *
 * @param settings the JSON of the site settings, which it answers from memory
 */
export function createFloor(store: Store, settings: string): FastifyInstance {
  const app = Fastify({
    genReqId: () => randomUUID(),
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, allowUnionTypes: true },
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(HEADERS).header('X-Transaction-Id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      time: new Date().toISOString(),
      transactionId: request.id,
      method: request.method,
      path: request.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      level: 'info',
      message: 'request',
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    done();
  });

  const path = '/api/v0/encounter';
  const one = `${path}/:id`;

  const settingsTag = `"${hashOf(settings)}"`;
  app.get('/api/v0/site_settings', ({ headers, id }, reply) => {
    reply.headers({ ETag: settingsTag, 'Cache-Control': 'private, no-cache' });
    if (headers['if-none-match'] === settingsTag) return reply.code(304).send();
    return reply.send(envelope(settings, id));
  });

  app.get<ById>(one, async ({ params, query, headers, id }, reply) => {
    const found = await (query.include ? store.readRelated(params.id) : store.read(params.id));
    if (!found) return reply.code(402).send('{"success":false}');
    const body = JSON.stringify(found);
    const etag = `"${String(found['version'])}-${hashOf(body)}"`;
    reply.headers({ ETag: etag, 'Cache-Control': 'private, no-cache' });
    if (headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.send(envelope(body, id));
  });

  app.post<WithBody>(path, { schema: { body: BODY } }, async ({ body, id }, reply) => {
    const made = await store.create(body);
    if (made === null) return reply.code(400).send('{"success":false}');
    return reply.send(envelope(JSON.stringify({ id: made }), id));
  });

  app.put<WithBody>(one, { schema: { body: BODY } }, async (request, reply) => {
    const tag = /^"(\d+)/.exec(request.headers['if-match'] ?? '');
    const wanted = tag ? Number(tag[1]) : null;
    const version = await store.update(request.params.id, wanted, request.body);
    if (version === null) return reply.code(402).send('{"success":false}');
    if (version === false) return reply.code(412).send('{"success":false}');
    return reply.send(envelope(JSON.stringify({ id: request.params.id, version }), request.id));
  });

  app.delete<ById>(one, async ({ params, id }, reply) => {
    if (!(await store.remove(params.id))) return reply.code(402).send('{"success":false}');
    return reply.send(envelope(JSON.stringify({ id: params.id }), id));
  });
  return app;
}
