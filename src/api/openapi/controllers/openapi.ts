import type { Core } from '@strapi/strapi';
import { unknownParameters } from '../../../endpoints/controller';
import { describeApi } from '../../../endpoints/openapi/document';
import { malformed } from '../../../core/errors';
import { etagOf, isKnown } from '../../../plugins/wire/server/etag';
import type { Answer, ApiRequest } from '../../../plugins/wire/server/request';

/** The OpenAPI document, generated once. */
export default ({ strapi }: { strapi: Core.Strapi }) => {
  let text: string | null = null;
  return {
    read(request: ApiRequest): Promise<Answer> {
      const invalid = unknownParameters(request);
      if (invalid.length > 0) return Promise.reject(malformed(invalid));
      text ??= JSON.stringify(describeApi(strapi));
      const headers = { ETag: etagOf(text, null), 'Cache-Control': 'public, no-cache' };
      return Promise.resolve(
        isKnown(request.req.headers['if-none-match'], headers.ETag)
          ? { status: 304, headers }
          : { raw: { text, type: 'application/json; charset=utf-8' }, headers },
      );
    },
  };
};
