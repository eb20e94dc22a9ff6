/**
 * Doors that the service keeps closed, opened in one that runs: an attacker that finds nothing where a door is open proves
 * nothing where it is closed. They change the compiled declarations in memory; no setting does what they do.
 */
import type { Field, Resources } from '../../src/plugins/objects/server/declare/completed';
import type { MethodName } from './estimate';

/** What of a running service doors change. */
export interface Inside {
  /** The compiled declarations. */
  readonly resources: Resources;
  /** The module that generalizes (`src/api/encounter/domain/generalize.ts`), as it is loaded. */
  readonly generalizing: { generalTime: (time: unknown, level: never) => unknown };
  /** Carries out a statement on the database. */
  run(statement: string): Promise<unknown>;
}

export interface Door {
  readonly name: string;
  /** The methods that it opens. */
  readonly opens: readonly MethodName[];
  /**
   * A setting of the site that has to be so, too: statements are compiled, and what is kept is computed, after it has
   * changed.
   */
  readonly site: Readonly<Record<string, string>>;
  /** Before the setting changes. @returns what closes it again */
  open?(inside: Inside): () => void;
  /** Statements after all is computed by the setting. The next change of it computes it anew. */
  readonly after?: readonly string[];
}

function fieldOf(resources: Resources, name: string): Field {
  const field = resources.get('encounter')?.fields.get(name);
  if (!field) throw new RangeError(`encounters have no field "${name}"`);
  return field;
}

/** Shows a field in all views. */
const show =
  (name: string) =>
  ({ resources }: Inside): (() => void) => {
    const views = fieldOf(resources, name).views as Map<string, unknown>;
    const before = [...views];
    for (const [view] of before) views.set(view, 'shown');
    return () => before.forEach(([view, as]) => views.set(view, as));
  };

/** Gives times as they are stored: in answers, and in what is kept for lists and searches. */
function tellTimes({ generalizing }: Inside): () => void {
  const { generalTime } = generalizing;
  generalizing.generalTime = (time) => time;
  return () => {
    generalizing.generalTime = generalTime;
  };
}

export const DOORS: readonly Door[] = [
  {
    name: 'individual',
    opens: ['shares of cells, by individual', 'relationships'],
    site: {},
    open: show('individual'),
  },
  { name: 'event_id', opens: ['event'], site: {}, open: show('event_id') },
  {
    name: 'time',
    opens: ['told time', 'order of searches'],
    site: { hidden_tells: 'both' },
    open: tellTimes,
  },
  {
    // A photograph of a hidden record, told at an open one.
    name: 'assets',
    opens: ['photograph'],
    site: { hidden_tells: 'both' },
    after: [`update assets set level = 'open'`],
  },
];

/** Runs with a door open, and closes it. @param set writes settings of the site @param settle ends what they leave to do */
export async function withDoor<T>(
  door: Door,
  inside: Inside,
  set: (site: Readonly<Record<string, string>>) => Promise<unknown>,
  settle: () => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  const close = door.open?.(inside);
  try {
    await set(door.site);
    await settle();
    for (const statement of door.after ?? []) await inside.run(statement);
    return await run();
  } finally {
    close?.();
    if ('hidden_tells' in door.site) await set({ hidden_tells: 'place' });
    await settle();
  }
}
