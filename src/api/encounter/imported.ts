import type { UniqueDeclaration } from '../../plugins/objects/server/declare/declaration';
import { importKey } from './domain/computed-values';

/** The key of an import: unique in its source, or with its owner where there is none. */
export const imported: UniqueDeclaration = {
  attribute: 'importKey',
  fields: ['source', 'external_id'],
  dependsOn: ['owner'],
  key: importKey,
};
