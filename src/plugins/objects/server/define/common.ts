/** The fields that every object has, and what a field is where nothing is said. */
import type { Kind } from './declaration';
import type { Field } from './resource';

/** The length of a text that nothing else bounds: what Strapi's `string` columns hold. */
export const DEFAULT_MAX_LENGTH = 255;
export const DEFAULT_MAX_ITEMS = 100;

/** `created_at` is the attribute `createdAt`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** A field that is as plain as can be. */
export const common = (name: string, kind: Kind, column: string, description: string): Field => ({
  name,
  kind,
  description,
  term: null,
  columns: [column],
  attribute: camelCase(name),
  required: false,
  default: null,
  empty: null,
  derived: true,
  seen: 'everyone',
  written: 'everyone',
  input: false,
  inverse: null,
  link: null,
  choices: [],
  spellings: {},
  min: null,
  max: null,
  minLength: 0,
  maxLength: DEFAULT_MAX_LENGTH,
  maxItems: DEFAULT_MAX_ITEMS,
  fold: null,
  distinct: false,
  to: null,
  onDelete: 'clear',
  tree: false,
  fill: null,
  derive: null,
});

/** What every object has beside its own fields. `id` may be given on create, and only then. */
export const COMMON = {
  id: {
    ...common('id', 'id', 'document_id', 'The ID of the object: a UUID. May be given on create.'),
    attribute: 'documentId',
  },
  version: common(
    'version',
    'integer',
    'version',
    'Counts the changes of the object: 1 when it is made.',
  ),
  created_at: common('created_at', 'instant', 'created_at', 'When the object was made, UTC.'),
  updated_at: common(
    'updated_at',
    'instant',
    'updated_at',
    'When the object was last changed, UTC.',
  ),
} as const;
