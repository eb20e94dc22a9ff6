/**
 * Tells Strapi's event hub of the changes of objects (`entry.create`, `entry.update`, `entry.delete`), as Strapi's
 * document service does: webhooks, and plugins that listen, hear of each change from any door, after its commit.
 */
import type { Core, UID } from '@strapi/strapi';
import { sanitize } from '@strapi/utils';
import { errorText } from '../../../../core/start-error';
import type { MadeChange } from '../database/sql';
import type { Resource } from '../declare/completed';
import type { Registry } from '../registry';
import type { Audience } from '../service';

type EventHub = Core.Strapi['eventHub'];
type Entry = Readonly<Record<string, unknown>>;

const EVENTS: Readonly<Record<MadeChange['op'], string>> = {
  create: 'entry.create',
  update: 'entry.update',
  delete: 'entry.delete',
};
const NAMES = new Set(Object.values(EVENTS));

/** How many listen to these events, by their hub. */
const listening = new WeakMap<EventHub, number>();

/**
 * Counts from now on who listens. A hub does not tell that, and reading an object for an event that nobody hears would
 * cost more than changing it. To be called before plugins are registered.
 */
export function watchEventHub({ eventHub }: Pick<Core.Strapi, 'eventHub'>): void {
  if (listening.has(eventHub)) return;
  listening.set(eventHub, 0);
  const count = (change: number): void =>
    void listening.set(eventHub, (listening.get(eventHub) ?? 0) + change);
  const [on, off] = [eventHub.on.bind(eventHub), eventHub.off.bind(eventHub)];
  const subscribe = eventHub.subscribe.bind(eventHub);
  const unsubscribe = eventHub.unsubscribe.bind(eventHub);
  eventHub.on = (name, listener) => {
    if (NAMES.has(name)) count(1);
    return on(name, listener);
  };
  eventHub.off = (name, listener) => {
    if (NAMES.has(name)) count(-1);
    off(name, listener);
  };
  eventHub.subscribe = (subscriber) => {
    count(1);
    return subscribe(subscriber);
  };
  eventHub.unsubscribe = (subscriber) => {
    count(-1);
    unsubscribe(subscriber);
  };
}

/** The listeners of the event hub. */
export interface Events extends Audience {
  /** When all events so far have been heard. */
  settled(): Promise<void>;
}

/** @param registry is opened before the first change */
export function createEvents(strapi: Core.Strapi, registry: Registry): Events {
  let last = Promise.resolve();
  const emitAll = async (changes: readonly MadeChange[]): Promise<void> => {
    for (const change of changes) {
      try {
        await emit(strapi, registry, change);
      } catch (error) {
        const heard = `${EVENTS[change.op]} of ${change.type}`;
        strapi.log.error(`a listener to ${heard} failed: ${errorText(error)}`);
      }
    }
  };
  return {
    isThere: () => (listening.get(strapi.eventHub) ?? 0) > 0,
    tell(changes) {
      last = last.then(() => emitAll(changes));
    },
    settled: () => last,
  };
}

async function emit(strapi: Core.Strapi, registry: Registry, change: MadeChange): Promise<void> {
  const { resource } = registry.model().type(change.type);
  const schema = strapi.contentType(resource.uid as UID.ContentType);
  const entry = change.before
    ? deletedEntry(resource, change.id, change.before)
    : await storedEntry(strapi, schema, change.id);
  const context = { schema, getModel: (uid: string) => strapi.getModel(uid as never) };
  await strapi.eventHub.emit(EVENTS[change.op], {
    model: schema.modelName,
    uid: schema.uid,
    entry: await sanitize.sanitizers.defaultSanitizeOutput(context, entry as never),
  });
}

/** The object with all its relations; of one that is gone again, its ID. */
async function storedEntry(
  strapi: Core.Strapi,
  { uid, attributes }: Pick<ReturnType<Core.Strapi['contentType']>, 'uid' | 'attributes'>,
  documentId: string,
): Promise<Entry> {
  const relations = Object.entries(attributes).filter(([, { type }]) => type === 'relation');
  const populate = Object.fromEntries(relations.map(([name]) => [name, true]));
  const entry = (await strapi.db
    .query(uid)
    .findOne({ where: { documentId }, populate })) as Entry | null;
  return entry ?? { documentId };
}

/** What a deleted object was, without its relations. */
function deletedEntry({ fields }: Resource, documentId: string, before: Entry): Entry {
  const values = [...fields.values()].flatMap(({ name, attribute, to, link }) =>
    attribute === null || to !== null || link || !(name in before)
      ? []
      : [[attribute, before[name]]],
  );
  return { ...(Object.fromEntries(values) as Entry), documentId };
}
