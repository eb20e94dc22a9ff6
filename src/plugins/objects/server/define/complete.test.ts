import { raw } from '../database/sql';
import { completeAll } from './complete';
import { DECLARATION_ERRORS, DeclarationError } from '../declare/declaration-error';
import { bothOrNeither } from '../validate/rules';
import { collaborates, is, memberOf, through, where } from '../declare/relations';
import { NOBODY, type RightsRow } from '../declare/row';
import type { Kind } from '../declare/kinds';
import type { FieldDeclaration, ResourceDeclaration } from '../declare/declaration';
import type { Resource, Resources } from '../declare/completed';
import type { StoredAttribute, StoredType } from './stored';

const ATTRIBUTE: StoredAttribute = {
  type: 'string',
  column: null,
  enum: [],
  required: false,
  default: undefined,
  min: null,
  max: null,
  minLength: null,
  maxLength: null,
  target: null,
  toOne: false,
  link: null,
};

type Attributes = Readonly<Record<string, Partial<StoredAttribute>>>;

/** What Strapi would store of a type with these attributes, each in a column of its name. */
function stored(
  attributes: Attributes = {},
  uniqueIndexes: Readonly<Record<string, string>> = { document_id: 'things_document_id_uq' },
): StoredType {
  const entries = Object.entries({
    name: {},
    version: { type: 'integer' },
    ...attributes,
  }).map(([name, attribute]) => [name, { ...ATTRIBUTE, column: name, ...attribute }] as const);
  return {
    table: 'things',
    attributes: new Map(entries),
    uniqueIndexes: new Map(Object.entries(uniqueIndexes)),
  };
}

type Fields = Readonly<Record<string, Partial<FieldDeclaration>>>;

const RIGHTS = { create: NOBODY, read: NOBODY, update: NOBODY, delete: NOBODY };

const rightsWithout = (action: string): ResourceDeclaration['rights'] =>
  Object.fromEntries(Object.entries(RIGHTS).filter(([name]) => name !== action));

const ALL = [{ relation: null, when: null }];
const EVERYBODY: RightsRow = { anonymous: ALL, user: ALL, moderator: ALL, administrator: ALL };

function thing(fields: Fields = {}, rest: Partial<ResourceDeclaration> = {}): ResourceDeclaration {
  return {
    uid: 'api::thing.thing',
    path: 'thing',
    description: 'A thing.',
    displayName: 'name',
    fields: Object.fromEntries(
      Object.entries({ name: {}, ...fields }).map(([name, field]) => [
        name,
        { description: 'A field.', ...field },
      ]),
    ),
    rights: RIGHTS,
    ...rest,
  };
}

const completed = (
  declaration: ResourceDeclaration,
  type: StoredType | null = stored(),
): Resource => {
  const resource = completeAll([declaration], () => type).get(declaration.path);
  if (!resource) throw new Error('nothing has been completed');
  return resource;
};

const relation = (
  target: string,
  rest: Partial<StoredAttribute> = {},
): Partial<StoredAttribute> => ({
  type: 'relation',
  target,
  toOne: true,
  ...rest,
});

const THING = 'api::thing.thing';
const LINK = { table: 'links', source: 'a', target: 'b', order: 'c' };

/** A type that refers to itself, with these relations. */
const related =
  (relations: NonNullable<ResourceDeclaration['relations']>, rights = RIGHTS) =>
  (): Resources =>
    completeAll([thing({ other: {} }, { relations, rights })], () =>
      stored({ other: relation(THING) }),
    );

const POLISH = { summary: 'Polish it', body: {}, refusals: [], plan: jest.fn() };

const DIM: NonNullable<ResourceDeclaration['views']> = {
  names: ['dim'],
  exact: NOBODY,
  others: () => raw(''),
};

const SHOWN: Partial<FieldDeclaration> = { views: { dim: 'shown' }, links: 'class' };

const OPEN_TO_ALL: Partial<ResourceDeclaration> = {
  relations: { known: where({ name: 'known' }) },
  views: { ...DIM, exact: ['known'] },
  searched: { name: 'things', version: 1, fields: [], indexes: [] },
};

/** A view of a name, made of these fields. */
const generalized = (from: readonly string[], attribute?: string): Partial<FieldDeclaration> => ({
  views: { dim: { from, as: () => null, ...(attribute === undefined ? {} : { attribute }) } },
  links: 'animal',
});

describe('a declaration that is wrong stops with its named error', () => {
  const one =
    (declaration: ResourceDeclaration, type: StoredType | null = stored()) =>
    () =>
      completeAll([declaration], () => type);
  type Rest = Partial<ResourceDeclaration>;
  const rights = (rows: Rest['rights']) => one(thing({}, { rights: { ...RIGHTS, ...rows } }));
  const relations = (declared: Rest['relations']) => one(thing({}, { relations: declared }));
  const dim = (fields: Fields, type?: StoredType) => one(thing(fields, { views: DIM }), type);
  const views = (declared: Partial<typeof DIM>) =>
    one(thing({ name: SHOWN }, { views: { ...DIM, ...declared } }));
  const unique = (...fields: readonly string[]) =>
    one(
      thing({}, { unique: [{ attribute: 'name', fields }] }),
      stored({}, { document_id: 'a', name: 'b' }),
    );
  const ofTime = (attributes: Attributes) =>
    one(thing({ at: { kind: 'time' } }), stored({ at: {}, ...attributes }));
  const WAYS: Record<keyof typeof DECLARATION_ERRORS, readonly [() => Resources, string][]> = {
    TYPE_TAKEN: [
      [
        () => completeAll([thing(), thing({}, { uid: 'api::other.other' })], () => stored()),
        'thing',
      ],
      [() => completeAll([thing(), thing()], () => stored()), 'thing'],
    ],
    CONTENT_TYPE_MISSING: [[one(thing(), null), 'thing']],
    NAME_INVALID: ['newName', 'New', '1st', 'new-name', 'new__name', '_new', 'new_'].map((name) => [
      one(thing({ [name]: {} })),
      `thing.${name}`,
    ]),
    NAME_RESERVED: ['id', 'version', 'created_at', 'updated_at', 'permissions'].map((name) => [
      one(thing({ [name]: {} })),
      `thing.${name}`,
    ]),
    ATTRIBUTE_MISSING: [
      [one(thing({ size: { kind: 'number' } })), 'thing.size'],
      [one(thing({ other: { kind: 'reference', to: 'thing' } })), 'thing.other'],
      [one(thing({ title: { attribute: 'headline', kind: 'text' } })), 'thing.title'],
      [dim({ name: generalized([], 'nameDim') }), 'thing.name'],
      [one(thing({}, { unique: [{ attribute: 'key', fields: ['name'] }] })), 'thing.key'],
    ],
    ATTRIBUTE_NOT_DECLARED: [
      [one(thing(), stored({ size: { type: 'float' } })), 'thing.size'],
      [one(thing(), stored({ others: { type: 'relation', column: null } })), 'thing.others'],
      [
        one(thing({ title: { attribute: 'headline' } }), stored({ headline: {}, title: {} })),
        'thing.title',
      ],
    ],
    KIND_MISSING: [
      [one(thing({ names: {} }), stored({ names: { type: 'json' } })), 'thing.names'],
      [one(thing({ state: { derived: true } })), 'thing.state'],
    ],
    KIND_MISMATCH: [
      [
        one(thing({ size: { kind: 'integer' } }), stored({ size: { type: 'float' } })),
        'thing.size',
      ],
      [
        dim({ name: generalized([], 'nameDim') }, stored({ nameDim: { type: 'integer' } })),
        'thing.name',
      ],
      [one(thing({ size: { kind: 'localized' } }), stored({ size: {} })), 'thing.size'],
      [one(thing({ size: {} }), stored({ size: { type: 'decimal' } })), 'thing.size'],
      [one(thing({ size: { kind: 'text' } }), stored({ size: { type: 'blocks' } })), 'thing.size'],
      [one(thing({ size: { kind: 'email' } }), stored({ size: {} })), 'thing.size'],
    ],
    ATTRIBUTE_RESERVED: [
      [one(thing({ status: {} }), stored({ status: {} })), 'thing.status'],
      [one(thing({ locale: {} }), stored({ locale: {} })), 'thing.locale'],
    ],
    COLUMN_TOO_SHORT: [
      [one(thing({ note: {} }), stored({ note: { maxLength: 256 } })), 'thing.note'],
      [one(thing({ note: { maxLength: 300 } }), stored({ note: {} })), 'thing.note'],
    ],
    CHOICES_MISSING: [
      [one(thing({ state: { kind: 'choice', derived: true, given: true } })), 'thing.state'],
      [one(thing({ state: {} }), stored({ state: { type: 'enumeration' } })), 'thing.state'],
    ],
    TARGET_MISSING: [
      [one(thing({ other: { kind: 'reference' } })), 'thing.other'],
      [one(thing({ other: { kind: 'reference', to: 'nothing' } })), 'thing.other'],
      [
        one(thing({ others: { kind: 'references', to: 'nothing', derived: true, given: true } })),
        'thing.others',
      ],
      [
        one(thing({ other: {} }), stored({ other: relation('api::nothing.nothing') })),
        'thing.other',
      ],
    ],
    JOIN_TABLE: [
      [
        one(
          thing({ other: {} }),
          stored({ other: relation('api::thing.thing', { column: null }) }),
        ),
        'thing.other',
      ],
    ],
    LINK_MISSING: [
      [
        one(
          thing({ others: {} }),
          stored({ others: relation('api::thing.thing', { toOne: false, column: null }) }),
        ),
        'thing.others',
      ],
    ],
    FIELD_UNKNOWN: [
      [one(thing({}, { rules: [bothOrNeither('name', 'keeper')] })), 'thing.keeper'],
      [dim({ name: generalized(['keeper']) }), 'thing.keeper'],
    ],
    RIGHT_MISSING: ['create', 'read', 'update', 'delete'].map((action) => [
      one(thing({}, { rights: rightsWithout(action) })),
      `thing.${action}`,
    ]),
    RIGHT_ALIAS_UNKNOWN: [
      [rights({ delete: 'as remove' }), 'thing.delete'],
      [rights({ update: 'as delete', delete: 'as update' }), 'thing.update'],
    ],
    RELATION_UNKNOWN: [
      [rights({ read: ['own'] }), 'thing'],
      [one(thing({ note: { seen: ['own'] } }, {}), stored({ note: {} })), 'thing.note'],
      [one(thing({ note: { written: ['own'] } }, {}), stored({ note: {} })), 'thing.note'],
      [views({ exact: ['own'] }), 'thing'],
    ],
    RELATION_MISMATCH: [
      [relations({ own: is('keeper') }), 'thing.own'],
      [relations({ own: is('name') }), 'thing.own'],
      [relations({ member: memberOf('name') }), 'thing.member'],
      [relations({ viewer: collaborates('name') }), 'thing.viewer'],
      [relations({ good: where({ state: 'good' }) }), 'thing.good'],
      [
        one(
          thing({ others: {} }, { relations: { own: is('others') } }),
          stored({ others: relation(THING, { toOne: false, link: LINK, column: null }) }),
        ),
        'thing.own',
      ],
      ...['name', 'nothing', 'thing.name', 'thing.nothing', 'nothing.it'].map(
        (reference): [() => Resources, string] => [
          relations({ known: through(reference, 'read') }),
          'thing.known',
        ],
      ),
      [views({ others: (row) => row.column('state') }), 'thing.views'],
    ],
    RELATION_CYCLE: [
      [related({ known: through('other', 'known') }), 'thing.known'],
      [related({ known: through('thing.other', 'known') }), 'thing.known'],
      [
        related({ a: through('other', 'b'), b: through('other', 'c'), c: through('other', 'a') }),
        'thing.a',
      ],
      [
        related({ known: through('other', 'read') }, { ...RIGHTS, read: { user: 'known' } }),
        'thing.known',
      ],
    ],
    RIGHT_UNKNOWN: [
      [related({ known: through('other', 'nothing') }), 'thing.known'],
      [related({ known: through('thing.other', 'calibrate') }), 'thing.known'],
    ],
    SWITCH_UNKNOWN: [
      [rights({ read: ['all if sunny'] }), 'thing'],
      [one(thing({ note: { seen: ['all if sunny'] } }), stored({ note: {} })), 'thing.note'],
      [dim({ name: { ...SHOWN, views: { dim: 'shown if sunny' as 'shown' } } }), 'thing.name'],
    ],
    ACTION_MISSING: [[rights({ polish: NOBODY }), 'thing.polish']],
    ACTION_NAME_INVALID: [
      [one(thing({}, { actions: { update: POLISH } })), 'thing.update'],
      [one(thing({}, { actions: { Polish: POLISH } })), 'thing.Polish'],
    ],
    DELETED_WITH_REFERRED: [
      [
        one(thing({ other: { onDelete: 'delete' } }), stored({ other: relation(THING) })),
        'thing.other',
      ],
    ],
    CREATE_NEEDS_ALL: [
      [related({ own: is('id') }, { ...RIGHTS, create: { user: 'own' } }), 'thing.create'],
    ],
    VIEW_MISSING: [[dim({}), 'thing.name']],
    VIEW_UNKNOWN: [[one(thing({ name: { views: { dim: 'hidden' } } })), 'thing.name']],
    LINKS_MISSING: [
      [dim({ name: { views: { dim: 'shown' } } }), 'thing.name'],
      [dim({ name: { views: { dim: 'shown if owners' } } }), 'thing.name'],
      [dim({ name: { views: { dim: { from: ['name'], as: () => null } } } }), 'thing.name'],
    ],
    LINKS_SHOWN: [[dim({ name: { ...SHOWN, links: 'animal' } }), 'thing.name']],
    VIEW_OF_REFERENCE: [
      [
        dim(
          { name: generalized(['name', 'other'], 'nameDim'), other: { views: { dim: 'hidden' } } },
          stored({ nameDim: {}, other: relation(THING) }),
        ),
        'thing.name',
      ],
    ],
    SUGGESTED_HIDDEN: [{}, { words: true, seen: NOBODY } as const].map((name) => {
      return [one(thing({ name }, { suggested: { names: ['name'] } })), 'thing.name'];
    }),
    WORDS_UNMARKED: [[one(thing({ name: SHOWN }, OPEN_TO_ALL)), 'thing.views']],
    INVERSE_UNKNOWN: [
      ['other', 'thing'],
      ['thing', 'them'],
      ['thing', 'nothing'],
      ['thing', 'name'],
    ].map(([type = '', field = '']) => [
      one(
        thing({
          them: { kind: 'references', to: 'thing', derived: true, inverse: { type, field } },
        }),
      ),
      'thing.them',
    ]),
    DERIVED_FROM_NOTHING: [
      [one(thing({ state: { derived: true } }), stored({ state: {} })), 'thing.state'],
      [one(thing({ them: { kind: 'references', to: 'thing', derived: true } })), 'thing.them'],
    ],
    TIME_COLUMNS_MISSING: [
      [ofTime({}), 'thing.at'],
      [ofTime({ atStart: { type: 'biginteger' } }), 'thing.at'],
      [ofTime({ atStart: { type: 'biginteger' }, atEnd: { type: 'integer' } }), 'thing.at'],
    ],
    REQUIRED_DERIVED: [
      [
        one(thing({ state: { derived: true } }), stored({ state: { required: true } })),
        'thing.state',
      ],
    ],
    VERSION_MISSING: [
      [one(thing(), stored({ version: { type: 'string' } })), 'thing'],
      [one(thing(), { ...stored(), attributes: new Map() }), 'thing'],
    ],
    INDEX_MISSING: [
      [one(thing(), stored({}, {})), 'thing.document_id'],
      [one(thing({}, { unique: [{ attribute: 'name', fields: ['name'] }] })), 'thing.name'],
      [
        one(
          thing({}, { unique: [{ attribute: 'name', fields: ['name'] }] }),
          stored({}, { document_id: 'a', 'name,version': 'b' }),
        ),
        'thing.name',
      ],
    ],
    UNIQUE_FIELD_UNKNOWN: [
      [unique('title'), 'thing.title'],
      [unique(), 'thing'],
    ],
    DISPLAY_NAME_UNKNOWN: [[one(thing({}, { displayName: 'title' })), 'thing']],
  };

  const cases = Object.entries(WAYS).flatMap(([code, ways]) =>
    ways.map(([way, where]) => [code as keyof typeof WAYS, where, way] as const),
  );
  test.each(cases)('%s at %s', (code, where, way) => {
    let caught: unknown;
    try {
      way();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(DeclarationError);
    expect(caught).toMatchObject({
      code,
      where,
      message: `${code}: ${where}: ${DECLARATION_ERRORS[code]}`,
    });
  });
});

describe('a declaration is completed', () => {
  test('with nothing said, from what is stored', () => {
    const { fields, ...rest } = completed(thing());
    expect(rest).toMatchObject({
      uid: 'api::thing.thing',
      type: 'thing',
      term: null,
      table: 'things',
      unique: [{ column: 'document_id', fields: ['id'] }],
      rules: [],
    });
    expect([...fields.keys()]).toEqual(['id', 'name', 'version', 'created_at', 'updated_at']);
    expect(fields.get('name')).toMatchObject({
      kind: 'text',
      columns: ['name'],
      attribute: 'name',
      required: false,
      default: null,
      derived: false,
      seen: EVERYBODY,
      written: EVERYBODY,
      minLength: 0,
      maxLength: 255,
      to: null,
      onDelete: 'clear',
      tree: false,
      alias: false,
    });
  });

  test.each<[string, Partial<StoredAttribute>, Partial<FieldDeclaration>, Kind]>([
    ['string', {}, {}, 'text'],
    ['string', {}, { kind: 'country' }, 'country'],
    ['text', { type: 'text' }, {}, 'text'],
    ['email', { type: 'email' }, {}, 'email'],
    ['enumeration', { type: 'enumeration', enum: ['a'] }, {}, 'choice'],
    ['float', { type: 'float' }, {}, 'number'],
    ['integer', { type: 'integer' }, {}, 'integer'],
    ['boolean', { type: 'boolean' }, {}, 'boolean'],
    ['datetime', { type: 'datetime' }, { derived: true, given: true }, 'instant'],
    ['json', { type: 'json' }, { kind: 'texts' }, 'texts'],
    ['relation', relation('api::thing.thing'), {}, 'reference'],
  ])('an attribute of the type %s %j %j is of the kind %s', (_, attribute, declared, kind) => {
    const { fields } = completed(thing({ it: declared }), stored({ it: attribute }));
    expect(fields.get('it')?.kind).toBe(kind);
  });

  test('a field of several words is stored in camel case, or where it says', () => {
    const { fields } = completed(
      thing({ its_own_name: {}, status: { attribute: 'itsStatus' } }),
      stored({ itsOwnName: { column: 'its_own_name' }, itsStatus: { column: 'its_status' } }),
    );
    expect(fields.get('its_own_name')).toMatchObject({
      attribute: 'itsOwnName',
      columns: ['its_own_name'],
    });
    expect(fields.get('status')).toMatchObject({ attribute: 'itsStatus', columns: ['its_status'] });
  });

  test('a time has three columns', () => {
    const bound = { type: 'biginteger' };
    const type = stored({
      at: {},
      atStart: { ...bound, column: 's' },
      atEnd: { ...bound, column: 'e' },
    });
    expect(completed(thing({ at: { kind: 'time' } }), type).fields.get('at')?.columns).toEqual([
      'at',
      's',
      'e',
    ]);
  });

  test('what is required and has a default may be left out', () => {
    const { fields } = completed(
      thing({ a: {}, b: {} }),
      stored({ a: { required: true }, b: { required: true, default: 'x' } }),
    );
    expect(fields.get('a')).toMatchObject({ required: true, default: null });
    expect(fields.get('b')).toMatchObject({ required: false, default: 'x' });
  });

  test('types refer to each other, whichever comes first', () => {
    const other = thing({ thing: {} }, { uid: 'api::other.other', path: 'other' });
    const types: Readonly<Record<string, StoredType>> = {
      'api::other.other': stored({ thing: relation('api::thing.thing') }),
      'api::thing.thing': stored({ other: relation('api::other.other') }),
    };
    const resources = completeAll([other, thing({ other: {} })], (uid) => types[uid] ?? null);
    expect(resources.get('other')?.fields.get('thing')?.to).toBe('thing');
    expect(resources.get('thing')?.fields.get('other')?.to).toBe('other');
  });

  test('a unique rule without a key has the value of its field', () => {
    const { unique } = completed(
      thing({ tsn: {} }, { unique: [{ attribute: 'tsn', fields: ['tsn'] }] }),
      stored({ tsn: { type: 'integer' } }, { document_id: 'a', tsn: 'b' }),
    );
    expect(unique.map(({ key }) => key({ id: 'x', tsn: 5 }))).toEqual(['x', 5]);
    expect(unique.map(({ key }) => key({ id: 'x', tsn: null }))).toEqual(['x', null]);
  });
});
