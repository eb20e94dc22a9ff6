import { headerPlaces, type Place } from './places';
import { LISTS, modelsOf, type Model } from './panel-models';
import type { Who } from './people';

type Body = (text: string) => unknown;

const place = (
  name: string,
  method: string,
  url: string | ((text: string) => string),
  body?: Body,
  who: Who = 'administrator',
): Place => ({
  name: `${method} ${name}`,
  door: 'panel',
  who,
  max: null,
  times: 1,
  in: body ? 'body' : 'url',
  request: (text) => ({
    method,
    url: typeof url === 'string' ? url : url(encodeURIComponent(text)),
    ...(body ? { body: body(text) } : {}),
  }),
});

const PASSWORD = 'A long one, 1 please';
const PERSON = { firstname: 'Eve', lastname: 'L', email: 'eve@example.org', password: PASSWORD };

/** The inputs of a form, one after the other. */
const form = (url: string, inputs: Readonly<Record<string, unknown>>, who?: Who): Place[] =>
  Object.keys(inputs).map((name) =>
    place(
      `${url} ${name}`,
      url === '/admin/users/me' ? 'PUT' : 'POST',
      url,
      (text) => ({ ...inputs, [name]: text }),
      who,
    ),
  );

/** The routes that need no session. */
const DOORS: readonly Place[] = [
  ...form('/admin/login', { email: 'eve@example.org', password: PASSWORD }, 'nobody'),
  ...form('/admin/forgot-password', { email: 'eve@example.org' }, 'nobody'),
  ...form('/admin/reset-password', { resetPasswordToken: 'x', password: PASSWORD }, 'nobody'),
  ...form('/admin/register', { registrationToken: 'x', userInfo: PERSON }, 'nobody'),
  ...Object.keys(PERSON).map((name) =>
    place(
      `/admin/register userInfo.${name}`,
      'POST',
      '/admin/register',
      (text) => ({ registrationToken: 'x', userInfo: { ...PERSON, [name]: text } }),
      'nobody',
    ),
  ),
  ...form('/admin/access-token', { refreshToken: 'x' }, 'nobody'),
  place(
    '/admin/registration-info',
    'GET',
    (t) => `/admin/registration-info?registrationToken=${t}`,
  ),
  place('/admin/{anything}', 'GET', (text) => `/admin/${text}`),
  place('/{anything}', 'GET', (text) => `/${text}`),
  ...headerPlaces('panel', '/admin/login', { method: 'POST' }),
  ...headerPlaces('panel', '/admin/users/me'),
];

/** The routes of the user's own account. */
const PROFILE: readonly Place[] = [
  ...form('/admin/users/me', {
    firstname: 'Eve',
    lastname: '',
    username: 'eve',
    email: 'eve@example.org',
    password: PASSWORD,
    currentPassword: PASSWORD,
    preferedLanguage: 'en',
  }),
  ...['action', 'subject', 'field'].map((name) =>
    place(`/admin/permissions/check ${name}`, 'POST', '/admin/permissions/check', (text) => ({
      permissions: [{ action: 'a', subject: null, [name]: text }],
    })),
  ),
  place('/admin/homepage/layout', 'PUT', '/admin/homepage/layout', (text) => ({
    widgets: [{ uid: text, width: 6 }],
  })),
  place('/admin/users/me/sessions/{id}', 'DELETE', (text) => `/admin/users/me/sessions/${text}`),
];

/** The pages of a type: its form, its list, its pickers. */
function ofModel({ uid, attributes, isSingle }: Model): Place[] {
  const page = `/content-manager/${isSingle ? 'single' : 'collection'}-types/${uid}`;
  const forms: readonly (readonly [string, string])[] = isSingle
    ? [['PUT', page]]
    : [
        ['POST', page],
        ['PUT', `${page}/nothing`],
      ];
  return [
    ...forms.flatMap(([method, url]) =>
      [...Object.keys(attributes), 'documentId', '(unknown)'].map((name) =>
        place(`${url} ${name}`, method, url, (text) =>
          attributes[name]?.type === 'relation'
            ? { [name]: { connect: [{ documentId: text }], disconnect: [] } }
            : { [name === '(unknown)' ? text : name]: text },
        ),
      ),
    ),
    ...(isSingle ? [] : listPlaces(page, attributes)),
    ...Object.entries(attributes)
      .filter(([, { type }]) => type === 'relation')
      .flatMap(([name]) =>
        LISTS.pickers.map((parameter) =>
          place(`relations/${uid}/${name}?${parameter}`, 'GET', (text) => {
            const url = `/content-manager/relations/${uid}/${name}`;
            return `${url}?${parameter}=${text}`;
          }),
        ),
      ),
  ];
}

const listPlaces = (page: string, attributes: Model['attributes']): Place[] => [
  ...LISTS.parameters.map((parameter) =>
    place(`${page}?${parameter}`, 'GET', (text) => `${page}?${parameter}=${text}`),
  ),
  ...Object.keys(attributes).flatMap((name) => [
    place(`${page}?filters[${name}]`, 'GET', (t) => `${page}?filters[${name}][$containsi]=${t}`),
    place(`${page}?sort=${name}`, 'GET', (text) => `${page}?sort=${name}:${text}`),
  ]),
  place(`${page}?filters[*]`, 'GET', (text) => `${page}?filters[${text}][$eq]=1`),
  place(`${page}?(a name)`, 'GET', (text) => `${page}?${text}=1`),
  place(`${page}/{id}`, 'GET', (text) => `${page}/${text}`),
  place(`${page}/actions/bulkDelete`, 'POST', `${page}/actions/bulkDelete`, (text) => ({
    documentIds: [text],
  })),
];

/** Every place of the panel's pages. */
export const panelPlaces = (): Place[] => [...DOORS, ...PROFILE, ...modelsOf().flatMap(ofModel)];
