import type { Core } from '@strapi/strapi';
import { unknownParameters } from '../../../endpoints/controller';
import { describeApi } from '../../../endpoints/openapi/document';
import { malformed } from '../../../plugins/wire/server/errors';
import { etagOf, isKnown } from '../../../plugins/wire/server/etag';
import type { Answer, Exchange } from '../../../plugins/wire/server/exchange';

/** The OpenAPI document, made once. */
export default ({ strapi }: { strapi: Core.Strapi }) => {
  let text: string | null = null;
  return {
    read(exchange: Exchange): Promise<Answer> {
      const invalid = unknownParameters(exchange);
      if (invalid.length > 0) return Promise.reject(malformed(invalid));
      text ??= JSON.stringify(describeApi(strapi));
      const headers = { ETag: etagOf(text, null), 'Cache-Control': 'public, no-cache' };
      return Promise.resolve(
        isKnown(exchange.req.headers['if-none-match'], headers.ETag)
          ? { status: 304, headers }
          : { raw: { text, type: 'application/json; charset=utf-8' }, headers },
      );
    },
  };
};
