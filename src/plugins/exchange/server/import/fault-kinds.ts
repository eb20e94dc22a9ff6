/** The faults of an import by their kind and value. */
import type { Fault } from '../package/fault';

/** Faults of one kind and value. */
export interface FaultKind {
  readonly field: string;
  readonly reason: string;
  readonly value: string;
  count: number;
  /** The first of them. */
  readonly places: { readonly file: string; readonly line: number | null }[];
}

/** The places that are told of a kind. */
const PLACES = 3;

/** Kinds that are kept apart; what comes later is counted by kind alone. */
const MAX_KINDS = 1_000;

/** Characters of a value. */
const MAX_VALUE = 60;

/** Counts faults by kind and value, in bounded memory. */
export class FaultKinds {
  private readonly kinds = new Map<string, FaultKind>();

  /** @param all where they are added in the order in which they are met first */
  constructor(private readonly all: FaultKind[]) {}

  add({ file, line, field, reason, value }: Fault): void {
    const text = value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
    const isFull = this.kinds.size >= MAX_KINDS;
    const told = isFull && !this.kinds.has(keyOf(field, reason, text)) ? '…' : text;
    const key = keyOf(field, reason, told);
    let kind = this.kinds.get(key);
    if (!kind) {
      if (this.kinds.size >= 2 * MAX_KINDS) return;
      this.kinds.set(key, (kind = { field, reason, value: told, count: 0, places: [] }));
      this.all.push(kind);
    }
    kind.count += 1;
    if (kind.places.length < PLACES) kind.places.push({ file, line });
  }
}

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts);
