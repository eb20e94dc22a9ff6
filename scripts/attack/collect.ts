/** Takes everything that a stranger can get, again and again, and keeps what has changed in between. */
import { pages, type Api } from './api';
import { cellsOf } from './csv';
import type { Place } from './places';

type Json = Readonly<Record<string, unknown>>;

/** What a stranger knows of an encounter: by its last answer, and by those before. */
export interface Known {
  readonly id: string;
  readonly isHidden: boolean;
  /** As it is told: exact, or the centre of a cell. */
  readonly place: Place | null;
  readonly taxon: string | null;
  readonly owner: string | null;
  readonly event: string | null;
  readonly individual: string | null;
  readonly time: string | null;
  /** Its photographs, by their IDs. */
  readonly photographs: readonly string[];
  /** The number of the poll that met it first. */
  readonly appeared: number;
  /** The number of the last poll that was answered otherwise than before. */
  readonly changed: number;
  /** Where it was, when it was told exactly. */
  readonly before: Place | null;
}

/** What a stranger knows of an individual. */
export interface KnownIndividual {
  readonly encounters: readonly string[];
  /** The individuals that it is related to. */
  readonly kin: readonly string[];
}

export interface Knowledge {
  readonly encounters: ReadonlyMap<string, Known>;
  readonly individuals: ReadonlyMap<string, KnownIndividual>;
  /** The IDs in the order of every search that there is, each once upwards. */
  readonly orders: readonly (readonly string[])[];
}

/** Sorts of encounters; downwards is the same order. */
const SORTS = ['time', 'external_id', 'state', 'created_at', 'updated_at'];
/** Columns of an export that would tell what a read does not, by what they are here. */
const COLUMNS = { individual: 'individual', event_id: 'event', time: 'time' } as const;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function placeOf({ latitude, longitude }: Json): Place | null {
  return typeof latitude === 'number' && typeof longitude === 'number'
    ? { latitude, longitude }
    : null;
}

/** What one poll tells of an encounter, after what is known of it. @param poll its number */
export function learn(told: Json, known: Known | undefined, poll: number): Known {
  const isHidden = (told['generalized'] ?? null) !== null;
  const now = {
    id: String(told['id']),
    isHidden,
    place: placeOf(told),
    taxon: text(told['taxonomy']),
    owner: text(told['owner']),
    event: text(told['event_id']),
    individual: text(told['individual']),
    time: text(told['time']),
    photographs: (told['assets'] ?? []) as readonly string[],
  };
  const hasChanged =
    known !== undefined &&
    (['isHidden', 'taxon', 'time'] as const).some((name) => known[name] !== now[name]);
  return {
    ...now,
    appeared: known?.appeared ?? poll,
    changed: hasChanged ? poll : (known?.changed ?? -1),
    before: known && !known.isHidden ? known.place : (known?.before ?? null),
  };
}

/** One poll of all encounters. What is not there any more stays known. */
export async function poll(
  api: Api,
  before: ReadonlyMap<string, Known>,
  number: number,
): Promise<ReadonlyMap<string, Known>> {
  const known = new Map(before);
  for await (const { objects } of pages(
    api.ask,
    'search/encounter?expand=true&limit=1000&count=none',
  ))
    for (const told of objects)
      known.set(String(told['id']), learn(told, known.get(String(told['id'])), number));
  return known;
}

/** Individuals, with the encounters that their lists have and those that searches find by them. */
async function readIndividuals(api: Api): Promise<Map<string, KnownIndividual>> {
  const found = new Map<string, KnownIndividual>();
  for await (const { objects } of pages(api.ask, 'search/individual?expand=true&limit=1000'))
    for (const told of objects) {
      const filtered: string[] = [];
      const search = `search/encounter?individual=${String(told['id'])}&limit=1000&count=none`;
      for await (const page of pages(api.ask, search)) filtered.push(...page.matches);
      const kin = (told['relationships'] ?? []) as readonly Json[];
      found.set(String(told['id']), {
        encounters: [...((told['encounters'] ?? []) as readonly string[]), ...filtered],
        kin: kin.map((one) => String(one['individual'])),
      });
    }
  return found;
}

async function readOrders(api: Api): Promise<string[][]> {
  const orders: string[][] = [];
  for (const sort of SORTS) {
    const order: string[] = [];
    const search = `search/encounter?sort=${sort}&limit=1000&count=none`;
    for await (const { matches } of pages(api.ask, search)) order.push(...matches);
    orders.push(order);
  }
  return orders;
}

/** What an export tells beyond reads. @param csv with a heading */
export function learnFromExport(
  csv: string,
  known: ReadonlyMap<string, Known>,
): ReadonlyMap<string, Known> {
  const [heading = '', ...lines] = csv.trim().split(/\r?\n/);
  const names = cellsOf(heading);
  const learned = new Map(known);
  for (const line of lines) {
    const cells = cellsOf(line);
    const one = learned.get(cells[names.indexOf('id')] ?? '');
    if (!one) continue;
    const more = Object.entries(COLUMNS).flatMap(([column, name]) => {
      const cell = cells[names.indexOf(column)] ?? '';
      return cell === '' ? [] : [[name, cell] as const];
    });
    learned.set(one.id, { ...one, ...Object.fromEntries(more) });
  }
  return learned;
}

/** All that there is beside the polls, at the end. */
export async function collect(
  api: Api,
  polled: ReadonlyMap<string, Known>,
  number: number,
): Promise<Knowledge> {
  const fields = ['id', ...Object.keys(COLUMNS)].join();
  const csv = await api.text(`export/encounter?format=csv&fields=${fields}`);
  return {
    encounters: learnFromExport(csv, await poll(api, polled, number)),
    individuals: await readIndividuals(api),
    orders: await readOrders(api),
  };
}
