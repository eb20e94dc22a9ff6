/** Writes all that a search finds in a format, for a call or a script. */
import type { Core } from '@strapi/strapi';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../../core/caller';
import type { Issue } from '../../core/errors';
import { objectsOf, registryOf, siteOf } from '../../plugins/objects/server';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { fieldsFor } from './columns';
import type { Format, Options } from './format';
import type { ExportSource } from './source';

export interface Wanted {
  readonly type: string;
  readonly format: Format;
  readonly options: Options;
  /** Those of a search. */
  readonly parameters: ReadonlyMap<string, string>;
  /** What else is wrong with the call. */
  readonly issues: readonly Issue[];
}

interface Lifecycle {
  readonly draining: boolean;
}

/**
 * Finds what is exported, and gives the function that writes it.
 *
 * @throws ApiError the refusal for a caller who may read no object of the type; MALFORMED
 */
export async function prepareExport(
  strapi: Core.Strapi,
  caller: Caller,
  { type, format, options, parameters, issues }: Wanted,
): Promise<() => Promise<Readable>> {
  const model = registryOf(strapi).model();
  const { resource } = model.type(type);
  const compiled = model.type(type).for(caller);
  const objects = objectsOf(strapi);
  const source: Omit<ExportSource, 'pages'> = {
    resource,
    resources: model.resources,
    objects,
    caller,
    site: siteOf(strapi).current(),
    publicSite: JSON.parse((await siteOf(strapi).read({ role: 'anonymous' })).text) as Body,
    publicUrl: strapi.config.get<string>('plugin::wire.publicUrl'),
    fieldsOf: (of) => {
      const access = compiled.accessTo(of.type);
      return fieldsFor(of, (field) => (access?.seen(field).length ?? 0) > 0);
    },
    now: new Date(),
  };
  const plan = format.plan(source, options);
  const fields = plan.fields.map(({ name }) => name);
  const pages = objects.pages(type, parameters, caller, { fields, invalid: issues });
  // What is wrong with the query is told before anything is sent.
  const first = await pages.next();
  const isDraining = (): boolean =>
    strapi.config.get<Lifecycle>('oms.lifecycle', { draining: false }).draining;
  return async () => {
    const content = await plan.write(inTurns(first, pages, isDraining));
    // Also where nothing of it has been read.
    content.once('close', () => void pages.return());
    return content;
  };
}

type Pages = AsyncGenerator<readonly Body[], void>;

/** The pages, until the service ends: it does not wait for the rest, the connection breaks off. */
async function* inTurns(
  first: IteratorResult<readonly Body[], void>,
  pages: Pages,
  isDraining: () => boolean,
): AsyncGenerator<readonly Body[]> {
  for (let page = first; !page.done; page = await pages.next()) {
    if (isDraining()) throw new Error('the service is ending');
    yield page.value;
    // Others have their turn between two pages.
    await setImmediate();
  }
}
