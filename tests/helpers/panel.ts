import type { IncomingHttpHeaders } from 'node:http';
import { USER_UID } from '#app/plugins/accounts/server/users/account';
import { send } from './http';
import { asObject, at, parsed, type Json } from './json';
import { startService, type TestService } from './service';

/** The first administrator of those tests that name one in the environment. */
export const administrator = { email: 'ana@example.org', password: 'A long one, 1 please' };

/** A user that an operator created through Strapi: a Super Admin without an account of the service. */
export const operator = { email: 'olga@example.org', password: 'A long one, 1 please' };

/** The credentials of a sign-in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** An answer of the panel's own routes. */
export interface PanelAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The same with its headers. */
export interface WholeAnswer extends PanelAnswer {
  readonly headers: IncomingHttpHeaders;
}

/** The service as the panel asks it: over HTTP, after a login, by the routes that its pages use. */
export interface Panel {
  readonly service: TestService;
  ask(method: string, url: string, body?: unknown): Promise<PanelAnswer>;
  /** Saves a new document and gives it. @throws Error when it is refused */
  create(type: string, data: Json): Promise<Json>;
  /** A document as its form gets it. @throws Error when it is refused */
  open(type: string, id: string): Promise<Json>;
}

/** The address of a type's documents. */
export const documents = (type: string): string =>
  `/content-manager/collection-types/${type === 'user' ? USER_UID : `api::${type}.${type}`}`;

/** Boots a service and signs its operator in. */
export async function startPanel(env: Readonly<Record<string, string>> = {}): Promise<Panel> {
  const service = await startService({ env: { LOG_LEVEL: 'error', ...env } });
  try {
    await makeOperator(service);
    return await panelOf(service, operator);
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Makes the Super Admin, as Strapi's own commands do. */
export async function makeOperator({ strapi }: TestService): Promise<void> {
  const users = strapi.service('admin::user') as unknown as {
    createFirstAdmin(account: object): Promise<unknown>;
  };
  await users.createFirstAdmin({ ...operator, firstname: 'Administrator' });
}

/** Signs in to the panel. @throws Error when the credentials are refused */
export async function panelOf(service: TestService, credentials: Credentials): Promise<Panel> {
  const login = await signInToPanel(service, credentials);
  const token = at(login.body, 'data', 'token');
  if (typeof token !== 'string')
    throw new Error(
      `${credentials.email} was refused: ${login.status} ${JSON.stringify(login.body)}`,
    );
  const ask: Panel['ask'] = async (method, url, body) => {
    const answer = await askPanel(service, token, method, url, body);
    return { status: answer.status, body: answer.body };
  };
  const succeed = async (method: string, url: string, body?: unknown): Promise<Json> => {
    const answer = await ask(method, url, body);
    if (answer.status < 300) return asObject(at(answer.body, 'data'));
    throw new Error(`${method} ${url} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  return {
    service,
    ask,
    create: (type, data) => succeed('POST', documents(type), { ...NEW[type], ...data }),
    open: (type, id) => succeed('GET', `${documents(type)}/${id}`),
  };
}

/** What the panel's sign-in form sends. */
export const signInToPanel = (
  service: TestService,
  { email, password }: Credentials,
  headers: Readonly<Record<string, string>> = {},
): Promise<WholeAnswer> =>
  askPanel(service, undefined, 'POST', '/admin/login', { email, password }, headers);

/** Sends a request to one of the panel's own routes. */
export async function askPanel(
  service: TestService,
  token: string | undefined,
  method: string,
  url: string,
  body?: unknown,
  given: Readonly<Record<string, string>> = {},
): Promise<WholeAnswer> {
  const headers: Record<string, string> = { ...given };
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
  const answer = await send(service.url, { method, url, headers, body });
  return { status: answer.status, headers: answer.headers, body: parsed(answer.text) };
}

/** What the form of a new document begins with: every attribute that has a default. Recorded in a browser. */
const NEW: Readonly<Record<string, Json>> = {
  taxonomy: { taxonomicStatus: 'accepted', enabled: true, version: 1 },
  individual: { encounterCount: 0, publicEncounterCount: 0, version: 1 },
  org: { version: 1 },
  encounter: { basisOfRecord: 'human_observation', state: 'approved', version: 1 },
};

/** The attributes that the panel takes out of a form before it sends it. */
const NOT_SENT = new Set(['id', 'createdBy', 'updatedBy', 'createdAt', 'updatedAt', 'publishedAt']);
const NOT_OF_THE_TYPE = new Set(['locale', 'localizations']);

/**
 * What the panel sends when a form is saved: the whole document, hidden attributes and all, each relation as
 * the links that were made and undone, and what was changed. Recorded in a browser.
 */
export function form(document: Json, changes: Json): Json {
  const sent = Object.entries(document).flatMap(([name, value]): [string, unknown][] => {
    if (NOT_SENT.has(name) || NOT_OF_THE_TYPE.has(name)) return [];
    const isRelation = typeof asObject(value)['count'] === 'number';
    return [[name, isRelation ? { connect: [], disconnect: [] } : value]];
  });
  return { ...Object.fromEntries(sent), ...changes };
}

/** How the panel names a document that a relation is linked to. */
export const link = ({ id, documentId }: Json): Json => ({ id, documentId, isTemporary: true });

/** The texts that the panel shows at its fields, by attribute; undefined for an answer that has none. */
export function fieldTexts({ body }: PanelAnswer): Json | undefined {
  const faults = at(body, 'error', 'details', 'errors');
  if (!Array.isArray(faults)) return undefined;
  return Object.fromEntries(
    faults.map(asObject).map(({ path, message }) => [(path as string[]).join('.'), message]),
  );
}

/** What the panel shows above the page. */
export const notice = ({ body }: PanelAnswer): unknown => at(body, 'error', 'message');

/** The parts of an answer that do not differ between equal requests. */
export const told = ({ status, body }: PanelAnswer): unknown => ({ status, body });

/** The answer to every refused sign-in. */
export const REFUSED = {
  status: 400,
  body: {
    data: null,
    error: { status: 400, name: 'ApplicationError', message: 'Invalid credentials', details: {} },
  },
};
