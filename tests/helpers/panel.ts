import { send } from './http';
import { asObject, at, parsed, type Json } from './json';
import { startService, type TestService } from './service';

/** The first administrator of every test's panel. */
export const administrator = { email: 'ana@example.org', password: 'A long one, 1 please' };

/** What the panel's own routes answer. */
export interface PanelAnswer {
  readonly status: number;
  readonly body: unknown;
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
  `/content-manager/collection-types/api::${type}.${type}`;

/** Boots a service and logs its first administrator in. */
export async function startPanel(): Promise<Panel> {
  const service = await startService({
    env: { OMS_ADMIN_EMAIL: administrator.email, OMS_ADMIN_PASSWORD: administrator.password },
  });
  const login = await request(service, undefined, 'POST', '/admin/login', administrator);
  const token = String(at(login.body, 'data', 'token'));
  const ask: Panel['ask'] = (method, url, body) => request(service, token, method, url, body);
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

async function request(
  service: TestService,
  token: string | undefined,
  method: string,
  url: string,
  body?: unknown,
): Promise<PanelAnswer> {
  const headers: Record<string, string> = {};
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
  const { status, text } = await send(service.url, { method, url, headers, body });
  return { status, body: parsed(text) };
}

/** What the form of a new document begins with: every attribute that has a default. Recorded in a browser. */
const NEW: Readonly<Record<string, Json>> = {
  taxonomy: { taxonomicStatus: 'accepted', enabled: true, version: 1 },
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
