import { isUuid } from '../../../../core/formats';
import { literal, raw, sql, type Sql } from '../database/sql';
import { string } from './checks';
import type { KindDefinition } from './kind';
import { asText } from './normalize';
import { text, textSchema } from './text';

/** The longest: that of a type whose name has forty characters. */
const PATH = /^\/api\/v0\/[a-z_]{1,40}\/([0-9a-f-]{36})\/file$/;

/** The path at which the bytes of an object are. */
export const filePath = (type: string, id: string): string => `/api/v0/${type}/${id}/file`;

/** The same as SQL, null where the ID is. */
export const filePathSql = (type: string, id: Sql): Sql =>
  sql`${literal(`/api/v0/${type}/`)} || ${id} || ${raw("'/file'")}`;

/** The ID in such a path; empty, which no object has, where it is none. */
export function idIn(value: unknown): string {
  const [, id = ''] = typeof value === 'string' ? (PATH.exec(value) ?? []) : [];
  return isUuid(id) ? id : '';
}

/** The path of another object's bytes, which stands for a reference to it; kept as a foreign key. */
export const path: KindDefinition = {
  ...text,
  attributes: ['relation'],
  natural: [],
  asks: true,
  normalize: (value, field) => {
    const given = asText(value, field);
    return typeof given === 'string' && idIn(given.toLowerCase()) !== ''
      ? given.toLowerCase()
      : given;
  },
  check: ({ maxLength }) => string({ minLength: 1, maxLength }),
  schema: textSchema,
  encode: (value) => [typeof value === 'string' ? idIn(value) : null],
  referredId: idIn,
};
