import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER_UID } from '#app/plugins/accounts/server/users/account';
import type { Json } from '../helpers/json';

/** An attribute as a schema declares it. */
export interface Attribute {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
}

/** A type as Strapi stores it. */
export interface Model {
  readonly uid: string;
  readonly isSingle: boolean;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

const SCHEMAS: Readonly<Record<string, string>> = {
  'api::encounter.encounter': 'api/encounter/content-types/encounter',
  'api::taxonomy.taxonomy': 'api/taxonomy/content-types/taxonomy',
  'api::site-settings.site-settings': 'api/site-settings/content-types/site-settings',
  [USER_UID]: 'extensions/users-permissions/content-types/user',
};

/** The parameters of lists and pickers. */
export const LISTS = {
  parameters: ['_q', 'page', 'pageSize', 'sort', 'filters', 'fields', 'populate', 'locale'],
  pickers: ['_q', 'page', 'pageSize', 'id', 'idsToOmit', 'idsToInclude', '_filter', 'sort'],
} as const;

/** The types that the panel shows. */
export const modelsOf = (): Model[] =>
  Object.entries(SCHEMAS).map(([uid, folder]) => {
    const file = join(__dirname, '..', '..', 'src', folder, 'schema.json');
    const schema = JSON.parse(readFileSync(file, 'utf8')) as Json;
    return {
      uid,
      isSingle: schema['kind'] === 'singleType',
      attributes: schema['attributes'] as Model['attributes'],
    };
  });
