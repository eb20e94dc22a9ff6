/** The workloads: the four calls, in the format of each contender. */
import type { Program } from './contenders/contender';
import type { Sample } from './data/encounters';
import type { Random } from './data/random';
import type { Call, NextCall } from './load';

/** The row IDs of the taxa by ID. */
export type TaxonRows = ReadonlyMap<string, number>;

/** The records of the requests. */
export interface Subjects {
  /** The IDs of the existing encounters. */
  readonly ids: readonly string[];
  readonly taxonRows: TaxonRows;
  /** A new encounter. */
  readonly sample: () => Sample;
}

/** The format of a contender's calls. */
interface Dialect {
  read(id: string): Call;
  create(sample: Sample): Call;
  update(id: string, version: number, change: Sample): Call;
  remove(id: string): Call;
  /** The ID in the answer to a create. */
  createdId(text: string): string;
}

const json = { 'content-type': 'application/json' };
const bytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));

const OURS = '/api/v0/encounter';

const ours: Dialect = {
  read: (id) => ({ method: 'GET', path: `${OURS}/${id}` }),
  create: (sample) => ({ method: 'POST', path: OURS, headers: json, body: bytes(sample) }),
  update: (id, version, change) => ({
    method: 'PUT',
    path: `${OURS}/${id}`,
    headers: { ...json, 'if-match': `"${version}"` },
    body: bytes(change),
  }),
  remove: (id) => ({ method: 'DELETE', path: `${OURS}/${id}` }),
  createdId: (text) => (JSON.parse(text) as { response: { id: string } }).response.id,
};

const STOCK = '/api/encounters';

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Strapi accepts the row ID of a relation without a join table, but not the document ID. */
const attributes = (sample: Sample, taxonRows: TaxonRows): object => ({
  data: Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [
      camel(name),
      name === 'taxonomy' ? taxonRows.get(String(value)) : value,
    ]),
  ),
});

const stock = (taxonRows: TaxonRows): Dialect => ({
  read: (id) => ({ method: 'GET', path: `${STOCK}/${id}?populate=taxonomy` }),
  create: (sample) => ({
    method: 'POST',
    path: STOCK,
    headers: json,
    body: bytes(attributes(sample, taxonRows)),
  }),
  update: (id, _, change) => ({
    method: 'PUT',
    path: `${STOCK}/${id}`,
    headers: json,
    body: bytes(attributes(change, taxonRows)),
  }),
  remove: (id) => ({ method: 'DELETE', path: `${STOCK}/${id}` }),
  createdId: (text) => (JSON.parse(text) as { data: { documentId: string } }).data.documentId,
});

const DIALECTS: Record<Program, (taxonRows: TaxonRows) => Dialect> = {
  ours: () => ours,
  floor: () => ours,
  stock,
};

/** The workloads in their order: `delete` starts with the encounters of `create`. */
export const WORKLOADS = ['read', 'create', 'update', 'delete'] as const;
export type Workload = (typeof WORKLOADS)[number];

/** The requests of one contender, with the state of its records. */
export interface Requests {
  /** An endless sequence of requests of one kind, for this number of connections. */
  of(workload: Workload, connections: number): NextCall;
}

/** Prepared bodies, so that the load generator need not create them during the measurement. */
const PREPARED = 2000;

/** The requests for one contender. */
export function createRequests(
  program: Program,
  { ids, taxonRows, sample }: Subjects,
  random: Random,
): Requests {
  const dialect = DIALECTS[program](taxonRows);
  const versions = new Map<string, number>();
  const made: string[] = [];
  const spare = [...ids];
  let changes = 0;
  const creates = Array.from({ length: PREPARED }, (): Call => ({
    ...dialect.create(sample()),
    done: (text) => void made.push(dialect.createdId(text)),
  }));

  const makers: Record<Workload, (connections: number) => NextCall> = {
    read: () => () => dialect.read(random.pick(ids)),
    create: () => () => random.pick(creates),
    // Each connection has its own encounters, so that no two change the same one.
    update: (connections) => (connection) => {
      const own = Math.floor((ids.length - connection + connections - 1) / connections);
      const id = ids[random.below(own) * connections + connection];
      if (id === undefined) return null;
      const version = versions.get(id) ?? 1;
      changes += 1;
      return {
        ...dialect.update(id, version, { remarks: `Looked at again, the ${changes}th time.` }),
        done: () => void versions.set(id, version + 1),
      };
    },
    delete: () => () => {
      const id = made.pop() ?? spare.pop();
      return id === undefined ? null : dialect.remove(id);
    },
  };
  return { of: (workload, connections) => makers[workload](connections) };
}
