import type { Caller } from '../../../../core/caller';
import { foldAlike } from '../../../../core/look-alike';
import type { Body, Change, Outcome } from '../../../objects/server/declare/objects';
import type { Objects } from '../../../objects/server/types';
import type { Draft, KnownOrganism } from '../package/dataset';
import type { ValuePlace } from '../package/fault';
import type { ImportJob } from './summary';
import { isTaken, refusals, valueText } from './reasons';

/** Characters of the context of a name. */
const MAX_CONTEXT = 100;

/** An encounter with the IDs of its taxon and of that of its individual. */
export interface NamedEncounter {
  readonly draft: Draft;
  readonly taxonomy: string | null;
  readonly animalTaxonomy: string | null;
}

/** An individual that is not known yet. */
interface Wanted {
  readonly key: string;
  readonly organism: KnownOrganism;
  readonly context: string;
  readonly taxonomy: string | null;
  /** Where it is named first. */
  readonly place: ValuePlace;
}

interface Writing {
  readonly objects: Objects;
  readonly caller: Caller;
  readonly owner: string | null;
  readonly job: ImportJob;
}

/**
 * Finds or creates the individuals of a package. Their ID in it is a name in the context of their source, so that
 * individuals of different packages are never taken for each other.
 */
export class Individuals {
  /** IDs by source and ID in the package; null for what the service refuses. */
  private readonly known = new Map<string, string | null>();

  constructor(private readonly writing: Writing) {}

  /** Finds or creates the individuals of these encounters, as far as they are not known yet. */
  async prepare(named: readonly NamedEncounter[]): Promise<void> {
    const open = named.filter(
      ({ draft }) => draft.organism !== null && !this.known.has(keyOf(draft.organism, draft)),
    );
    if (open.length === 0) return;
    const keys = open.map(({ draft: { body } }) => ({
      source: body['source'],
      external_id: body['external_id'],
    }));
    const existing = await this.writing.objects.findEach('encounter', keys);
    const wanted = new Map<string, Wanted>();
    for (const [at, { draft, animalTaxonomy: taxonomy }] of open.entries()) {
      const { organism, body, origin } = draft;
      if (organism === null || existing[at] !== null) continue;
      const key = keyOf(organism, draft);
      const context = String(body['source']).slice(0, MAX_CONTEXT);
      const place = { ...origin, field: organism.column };
      if (!wanted.has(key)) wanted.set(key, { key, organism, context, taxonomy, place });
    }
    await this.make([...wanted.values()]);
  }

  /**
   * The individual of an encounter that was prepared; null for one without, and for one that is imported already, which
   * stays as it is.
   */
  of({ draft }: NamedEncounter): string | null {
    if (draft.organism === null) return null;
    return this.known.get(keyOf(draft.organism, draft)) ?? null;
  }

  /** Creates them, or finds those that have the IDs. */
  private async make(wanted: readonly Wanted[]): Promise<void> {
    if (wanted.length === 0) return;
    const { objects, caller, owner } = this.writing;
    const changes = wanted.map(({ organism, context, taxonomy }): Change => {
      const body: Body = {
        names: namesOf(organism, context),
        ...(organism.remarks === null ? {} : { remarks: organism.remarks }),
        ...(taxonomy === null ? {} : { taxonomy }),
        ...(owner === null ? {} : { owner }),
      };
      return { op: 'create', type: 'individual', body };
    });
    const outcomes = await objects.writeAll(changes, caller);
    const unnamed: Wanted[] = [];
    for (const [at, outcome] of outcomes.entries()) {
      const one = wanted[at];
      if (one) unnamed.push(...this.settle(one, outcome));
    }
    await this.make(unnamed);
  }

  /** @returns it without its name, if another individual has that */
  private settle(one: Wanted, outcome: Outcome): Wanted[] {
    const { summary, report } = this.writing.job;
    const { key, organism, place } = one;
    if (outcome.ok) {
      summary.individuals.created += 1;
      this.known.set(key, outcome.written.id);
      return [];
    }
    const { error } = outcome;
    if (error.status >= 500) throw error;
    const holder = error.key === 'ENTITY_EXISTS' ? error.args['id'] : undefined;
    if (typeof holder === 'string' && isTaken(error, 'names.0.value')) {
      summary.individuals.existing += 1;
      this.known.set(key, holder);
      return [];
    }
    if (isTaken(error, 'names.1.value')) {
      const reason = 'is the name of another individual, and left out';
      report({ ...place, field: 'organismName', reason, value: organism.name ?? '' });
      return [{ ...one, organism: { ...organism, name: null } }];
    }
    summary.individuals.refused += 1;
    this.known.set(key, null);
    for (const { reason } of refusals(error))
      report({ ...place, reason, value: valueText(organism.id) });
    return [];
  }
}

const keyOf = ({ id }: KnownOrganism, { body }: Draft): string =>
  JSON.stringify([String(body['source']), id]);

/** The ID comes first; the name is preferred to it. */
function namesOf({ id, name, isNamed }: KnownOrganism, context: string): Body[] {
  const own = { context, value: id, preferred: false };
  if (name === null || foldAlike(name) === foldAlike(id)) return [own];
  const called = { context, value: name, preferred: true };
  return isNamed ? [called] : [own, called];
}
