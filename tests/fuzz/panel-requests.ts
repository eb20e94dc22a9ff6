/** Requests to Strapi's own routes, public ones and those that need a session. */
import * as fc from 'fast-check';
import { ALLOWED } from '#app/plugins/panel/server/routes/allowed';
import { LISTS, modelsOf, type Attribute, type Model } from './panel-models';
import { mostly, someId, wild, wildText } from './hostile';
import { bodyOf, named, parameter, queryOf, shot } from './requests';
import type { Shot } from './shot';

const MODELS = modelsOf();
const STRANGERS = [
  'admin::user',
  'plugin::users-permissions.role',
  'nothing',
  '__proto__',
  'api::x.x',
];

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), wildText);

const OPERATORS = [
  ...['$eq', '$eqi', '$ne', '$nei', '$in', '$notIn', '$lt', '$lte', '$gt', '$gte', '$between'],
  ...['$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith', '$startsWithi'],
  ...[
    '$endsWith',
    '$endsWithi',
    '$null',
    '$notNull',
    '$not',
    '$and',
    '$or',
    '$like',
    '$jsonSupersetOf',
  ],
];

/** Attributes of a type, those that Strapi adds, and some that do not exist. */
const namesOf = ({ attributes }: Model): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...Object.keys(attributes)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'id',
        'documentId',
        'createdAt',
        'createdBy',
        'updatedBy',
        'locale',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'password', 'nothing', '$and', '') },
  );

/** A part of a filter's name: `[$and][0][taxonomy][scientificName][$contains]`. */
const filterOf = (model: Model): fc.Arbitrary<string> => {
  const attribute = namesOf(model);
  const operator = fc.constantFrom(...OPERATORS);
  const group = fc.constantFrom('[$and][0]', '[$or][1]', '[$not]', '[$and][$or]', '');
  const index = fc.constantFrom('', '[0]', '[1]', '[]', '[a]');
  return fc
    .tuple(group, fc.array(attribute, { minLength: 0, maxLength: 2 }), operator, index)
    .map(
      ([before, path, last, after]) =>
        `filters${before}${path.map((name) => `[${name}]`).join('')}[${last}]${after}`,
    );
};

const values = fc.oneof(
  fc.constantFrom('1', '0', '-1', 'true', 'null', 'asc', '2021-01-01', '1e5', '[]', 'x'),
  text,
);

const listQuery = (model: Model): fc.Arbitrary<string> => {
  const order = fc
    .tuple(namesOf(model), fc.constantFrom(':ASC', ':desc', '', ':x', '.name:ASC', '.id'))
    .map((parts) => parts.join(''));
  const filter = fc
    .tuple(filterOf(model), parameter(values))
    .map(([name, value]) => `${name}=${value}`);
  return queryOf([
    filter,
    filter,
    named('sort', parameter(order)),
    named('sort[0]', parameter(order)),
    named('page', parameter(fc.constantFrom('1', '2', '0', '-1', '1e9', 'x'))),
    named('pageSize', parameter(fc.constantFrom('1', '100', '101', '0', 'x'))),
    named('_q', parameter(text)),
    ...LISTS.pickers.map((name) => named(name, parameter(values))),
    named('fields', parameter(namesOf(model))),
    named('populate', parameter(fc.oneof(fc.constant('*'), namesOf(model)))),
    named('populate[owner][filters][email][$contains]', parameter(text)),
  ]);
};

const linked = fc.oneof(
  someId,
  fc.record({ documentId: mostly(someId), id: mostly(fc.nat(50)) }, { requiredKeys: [] }),
);

const ATTRIBUTES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  relation: fc.oneof(
    fc.record(
      {
        connect: mostly(fc.array(linked, { maxLength: 3 })),
        disconnect: mostly(fc.array(linked, { maxLength: 3 })),
        set: mostly(fc.array(linked, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    ),
    linked,
    fc.array(linked, { maxLength: 3 }),
  ),
  boolean: fc.boolean(),
  integer: fc.integer(),
  biginteger: fc.integer(),
  float: fc.double({ noNaN: true }),
  decimal: fc.double({ noNaN: true }),
  datetime: fc.constantFrom('2021-01-01', '2021-01-01T00:00:00.000Z', 'x'),
  json: fc.oneof(
    wild,
    wild.map((value) => JSON.stringify(value)),
    fc.constant(['en']),
  ),
  email: fc.uuid().map((name) => `${name}@people.example.org`),
};

const valueOf = ({ type, enum: allowed }: Attribute): fc.Arbitrary<unknown> =>
  mostly(
    allowed ? fc.constantFrom(...allowed) : (ATTRIBUTES[type] ?? fc.string({ unit: 'grapheme' })),
  );

/** Requests that would lock out all accounts of a run. */
const NOT_SENT = new Set(['requireVerifiedEmail']);

/** The form of a type, with some of its inputs. */
function formOf({ attributes }: Model): fc.Arbitrary<unknown> {
  const inputs = Object.entries(attributes)
    .filter(([name]) => !NOT_SENT.has(name))
    .map(([name, attribute]) =>
      fc
        .tuple(fc.integer({ min: 0, max: 4 }), valueOf(attribute))
        .map(([chance, value]) => (chance === 0 ? [[name, value]] : [])),
    );
  return fc
    .tuple(...inputs)
    .map((entries) => Object.fromEntries(entries.flat() as [string, unknown][]));
}

/** The bodies of the other routes, with each property by its name. */
const others: fc.Arbitrary<unknown> = fc.dictionary(
  fc.constantFrom(
    ...[
      'email',
      'password',
      'firstname',
      'lastname',
      'username',
      'currentPassword',
      'roles',
      'ids',
    ],
    ...[
      'documentIds',
      'permissions',
      'registrationToken',
      'resetPasswordToken',
      'userInfo',
      'name',
    ],
    ...[
      'preferedLanguage',
      'widgets',
      'refreshToken',
      'deviceId',
      'rememberMe',
      'settings',
      'layouts',
    ],
  ),
  fc.oneof(
    text,
    wild,
    fc.array(fc.oneof(someId, fc.nat(9)), { maxLength: 3 }),
    fc.array(fc.dictionary(fc.constantFrom('action', 'subject', 'field', 'uid', 'width'), wild), {
      maxLength: 2,
    }),
    fc.record({ firstname: text, password: text, email: text }),
  ),
  { maxKeys: 5 },
);

const id = fc.oneof(
  { weight: 4, arbitrary: someId },
  { weight: 2, arbitrary: fc.nat(30).map(String) },
  { weight: 1, arbitrary: parameter(wildText) },
);

/** The values for the parameters of a route's path, and for the inputs of its forms and lists. */
interface Material {
  readonly model: Model;
  readonly form: fc.Arbitrary<string>;
  readonly query: fc.Arbitrary<string>;
}

const MATERIAL: readonly Material[] = MODELS.map((model) => ({
  model,
  form: bodyOf(formOf(model)),
  query: listQuery(model),
}));
const otherBody = bodyOf(others);
const otherQuery = queryOf([]);

/** A route of the list, asked about one of the types. */
function ofRoute(key: string, { model, form, query }: Material): fc.Arbitrary<Shot> {
  const [method = 'GET', path = '/'] = key.split(' ');
  const hasBody = method === 'POST' || method === 'PUT';
  const isForm = /-types\/:model(\/:id)?$/.test(path);
  const uids = fc.oneof(
    { weight: 19, arbitrary: fc.constant(model.uid) },
    { weight: 1, arbitrary: fc.constantFrom(...STRANGERS) },
  );
  return shot({
    door: 'panel',
    method,
    path: fc.tuple(uids, id, namesOf(model), parameter(wildText)).map(([uid, one, name, rest]) =>
      path.replace(/\(\(.*\)|:\w+\*?/g, (part) => {
        if (part.startsWith('(') || part === ':path*') return rest;
        if (part === ':targetField') return name;
        return part === ':model' || part === ':uid' || part === ':contentType' ? uid : one;
      }),
    ),
    query: path.startsWith('/content-manager') ? query : otherQuery,
    body: hasBody ? (isForm ? form : otherBody) : null,
  });
}

/** Every route of Strapi's that is open to somebody; those of records come up more often. */
export const panelShots = (): fc.Arbitrary<Shot> =>
  fc.oneof(
    ...Object.keys(ALLOWED).map((key) => ({
      weight: key.includes('/:model') ? 6 : 1,
      arbitrary: fc.oneof(...MATERIAL.map((material) => ofRoute(key, material))),
    })),
  );
