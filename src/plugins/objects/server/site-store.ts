/** The settings of a running service: read once, kept in memory, and read again when they have changed. */
import { service, type Caller, type Role } from '../../../core/caller';
import type { Soon } from '../../../core/soon';
import { raw, sql } from './database/sql';
import { camelCase } from './declare/common';
import type { Model } from './read/model';
import { readObject } from './read/reader';
import { DEFAULT_SITE, SITE_ID, SITE_TYPE, type SiteSettings } from './site/settings';
import type { Body, Found } from './declare/objects';

/** Milliseconds after which a change that another server has made is seen here. */
const POLL = 1000;

/** The settings of a running service. */
export interface Site {
  /** As they are now; the same object until they change. */
  current(): SiteSettings;
  /** As callers of this role see them: read once after each change. @throws ApiError UNAVAILABLE */
  read(caller: Pick<Caller, 'role'>): Soon<Found>;
  /** Reads what is stored: at the start, and after each change. */
  load(): Promise<void>;
  /** Reads what is stored, if it has changed. */
  refresh(): Promise<void>;
  /** Ends when what has been asked to be read is read: after a change that was written. */
  settled(): Promise<void>;
  /** Values of the environment, by their names on the wire: they come before what is stored. */
  overridden(): Body;
  override(values: Body): void;
  /** Looks for the changes of other servers. No job: each process keeps the settings for itself. */
  watch(): void;
  close(): void;
}

/** What has been read at one time. */
interface Loaded {
  readonly settings: SiteSettings;
  readonly byRole: Map<Role, Soon<Found>>;
}

/** @param model throws until the types are known */
export function createSite(model: () => Model): Site {
  let loaded: Loaded = { settings: DEFAULT_SITE, byRole: new Map() };
  let seen = '';
  let overriding: Body = {};
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();

  const stamp = async (): Promise<string> => {
    const { database, resources } = model();
    const table = raw(resources.get(SITE_TYPE)?.table ?? '');
    const rows = await database.read(sql`select version, initialized from ${table}`);
    return JSON.stringify(rows);
  };
  const readAs = async (role: Role): Promise<Found> =>
    withValues(await readObject(model(), SITE_TYPE, SITE_ID, { ...service, role }), overriding);
  const readStored = async (): Promise<void> => {
    const now = await stamp();
    // Nothing is stored before the end of the first start.
    if (now === '[]') return;
    const found = await readAs('administrator');
    const whole = JSON.parse(found.text) as Body;
    const settings = Object.fromEntries(
      Object.entries(whole).map(([name, value]) => [camelCase(name), value]),
    );
    const byRole = new Map<Role, Soon<Found>>([['administrator', found]]);
    loaded = { settings: { ...DEFAULT_SITE, ...settings }, byRole };
    seen = now;
  };
  /** One after the other: what is read last is what counts. */
  const load = (): Promise<void> => {
    turn = turn.catch(() => undefined).then(readStored);
    return turn;
  };

  const refresh = async (): Promise<void> => {
    if ((await stamp()) !== seen) await load();
  };

  return {
    current: () => loaded.settings,
    read({ role }) {
      const { byRole } = loaded;
      const known = byRole.get(role);
      if (known) return known;
      const reading = readAs(role);
      byRole.set(role, reading);
      reading.then(
        (found) => byRole.set(role, found),
        () => byRole.delete(role),
      );
      return reading;
    },
    load,
    refresh,
    settled: () => turn,
    overridden: () => overriding,
    override(values) {
      overriding = values;
    },
    watch() {
      timer = setInterval(() => void refresh().catch(() => undefined), POLL).unref();
    },
    close: () => clearInterval(timer),
  };
}

/** The object with these values in place of what is stored, where the caller sees the fields. */
function withValues(found: Found, values: Body): Found {
  if (Object.keys(values).length === 0) return found;
  const object = JSON.parse(found.text) as Body;
  const shown = Object.entries(values).filter(([name]) => name in object);
  return shown.length === 0
    ? found
    : { ...found, text: JSON.stringify({ ...object, ...Object.fromEntries(shown) }) };
}
