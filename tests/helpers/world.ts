import { changeSettings } from '#app/api/site-settings/setup';
import { service as itself, type Role } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { SITE_ID, SITE_TYPE } from '#app/plugins/objects/server/site/settings';
import { authorizationOf, openToRoles } from './callers';
import { createContractChecker, type ContractChecker } from './contract-checker';
import { send, type Answer, type Request } from './http';
import { asObject, at, parsed, type Json } from './json';
import { startService, type ServiceOptions, type TestService } from './service';
import { photograph, uploadRequest } from './upload';

/** A booted service, to which tests send requests; every answer is checked against the contract. */
export interface World extends Sender {
  readonly service: TestService;
  /** Makes an object, an asset of a photograph that is no other's, and gives its ID. @throws Error when it is refused */
  create(type: string, body?: Json): Promise<string>;
  update(type: string, id: string, body: Json): Promise<void>;
  /** An object as it is read. @throws Error when it is refused */
  read(type: string, id: string, query?: string): Promise<Json>;
}

export type WorldOptions = ServiceOptions & {
  /** The role of requests without headers of their own; anonymous by default. */
  readonly as?: Role;
};

export async function startWorld({ as, ...options }: WorldOptions): Promise<World> {
  const service = await startService(options);
  try {
    if (as !== undefined) await openToRoles(service);
    return await worldOf(service, authorizationOf(as ?? 'anonymous'));
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** Sends requests to a service, and checks each answer against the contract. */
export interface Sender {
  readonly document: Json;
  /** @throws Error when request or answer violate the contract */
  send(request: Request): Promise<Answer>;
}

/** @param url of a service that answers */
export async function createSender(url: string): Promise<Sender> {
  const { text } = await send(url, { method: 'GET', url: '/api/v0/openapi.json' });
  const document = asObject(parsed(text));
  const check = createContractChecker(document);
  return { document, send: (request) => sendChecked(url, check, request) };
}

async function worldOf(service: TestService, headers: Request['headers']): Promise<World> {
  const { document, ...given } = await createSender(service.url);
  const sender: Sender = { document, send: (request) => given.send({ headers, ...request }) };
  const succeed = async (request: Request): Promise<Json> => {
    const answer = await sender.send(request);
    if (answer.status !== 200) throw new Error(described(request, answer));
    return asObject(at(parsed(answer.text), 'response'));
  };
  return {
    service,
    ...sender,
    async create(type, body = {}) {
      const request =
        type === 'asset'
          ? uploadRequest({ bytes: await photograph(), fields: body }, headers)
          : { method: 'POST', url: `/api/v0/${type}`, body };
      return String((await succeed(request))['id']);
    },
    async update(type, id, body) {
      await succeed({ method: 'PUT', url: `/api/v0/${type}/${id}`, body });
    },
    read: (type, id, query = '') =>
      succeed({ method: 'GET', url: `/api/v0/${type}/${id}${query}` }),
  };
}

async function sendChecked(url: string, check: ContractChecker, request: Request): Promise<Answer> {
  const answer = await send(url, request);
  const faults = check(request, answer);
  if (faults.length === 0) return answer;
  throw new Error([...faults, described(request, answer)].map((fault) => `- ${fault}`).join('\n'));
}

const described = ({ method, url }: Request, { status, text }: Answer): string =>
  `${method} ${url.slice(0, 200)} answered ${status} ${text.slice(0, 2000)}`;

const OPEN: WorldOptions = { anonymousActsAs: 'administrator' };

/**
 * Boots a service for the tests of the calling block, on its own database.
 *
 * @param options by default every caller may do everything; a function is called when the block begins
 */
export function useWorld(options: WorldOptions | (() => WorldOptions) = OPEN): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await startWorld(typeof options === 'function' ? options() : options);
  });
  afterAll(async () => {
    await world?.service.close();
  });
  return () => {
    if (!world) throw new Error('the service is there in tests alone');
    return world;
  };
}

/** Changes settings of the site, by their names on the wire, for the tests of the calling block. */
export function useSettings(world: () => World, site: Json): void {
  let before: Json;
  beforeAll(async () => {
    const { strapi } = world().service;
    const { text } = await objectsOf(strapi).read(SITE_TYPE, SITE_ID, itself);
    before = asObject(parsed(text));
    await changeSettings(strapi, site);
  });
  afterAll(() =>
    changeSettings(
      world().service.strapi,
      Object.fromEntries(Object.keys(site).map((name) => [name, before[name]])),
    ),
  );
}
