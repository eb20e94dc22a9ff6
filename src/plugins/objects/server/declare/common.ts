/** The fields that every object has, and the defaults of a field. */
import type { Kind } from './kinds';
import { completeRow, EVERYBODY } from './row';
import type { Field } from './completed';

/** The maximum length of a list that follows from other objects; a search gives the rest. */
export const MAX_DERIVED = 1000;

/** The default maximum length of a text: that of Strapi's `string` columns. */
export const DEFAULT_MAX_LENGTH = 255;
export const DEFAULT_MAX_ITEMS = 100;

/** `created_at` is the attribute `createdAt`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const everybody = completeRow(EVERYBODY, () => undefined);

/** A field with all defaults. */
export const plainField = (name: string, kind: Kind, description: string): Field => ({
  name,
  kind,
  description,
  term: null,
  vocabulary: {},
  columns: [],
  attribute: null,
  required: false,
  default: null,
  nullable: false,
  toStrangers: null,
  derived: false,
  seen: everybody,
  written: everybody,
  onCreate: false,
  input: null,
  inverse: null,
  listed: null,
  edges: null,
  figure: null,
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
  rejects: null,
  to: null,
  onDelete: 'clear',
  attach: 'read',
  tree: false,
  alias: false,
  fill: null,
  derive: null,
  settle: null,
  computed: null,
  told: null,
  words: false,
  sort: false,
  views: new Map(),
});

const common = (name: string, kind: Kind, description: string): Field => ({
  ...plainField(name, kind, description),
  columns: [name],
  attribute: camelCase(name),
  derived: true,
});

/** The common fields of every object. `id` may be given on create only. */
export const COMMON = {
  id: {
    ...common('id', 'id', 'The ID of the object: a UUID. May be given on create.'),
    columns: ['document_id'],
    attribute: 'documentId',
  },
  version: common('version', 'integer', 'Counts the changes of the object: 1 when it is made.'),
  created_at: {
    ...common('created_at', 'instant', 'When the object was made, UTC.'),
    sort: true,
  },
  updated_at: {
    ...common('updated_at', 'instant', 'When the object was last changed, UTC.'),
    term: 'modified',
    sort: true,
  },
} as const;
