import type { Caller } from '../../../../core/caller';
import { ApiError } from '../../../../core/errors';
import type { Body, Objects } from '../../../objects/server/types';
import type { Staged } from '../camtrap-dp/observations';
import type { Job } from './summary';
import { refusals, valueText } from './reasons';

/** Characters of the context of a name. */
const MAX_CONTEXT = 100;

interface Writing {
  readonly objects: Objects;
  readonly caller: Caller;
  readonly source: string;
  readonly owner: string | null;
  readonly job: Job;
}

/**
 * Finds or creates the individuals of a package. Their name in it (`individualID`) is a name in the context of the
 * package's source, so that individuals of different packages are never taken for each other.
 */
export class Individuals {
  /** IDs by taxon and name; null for what the service refuses. */
  private readonly known = new Map<string, string | null>();

  constructor(private readonly writing: Writing) {}

  /**
   * The individual of an observation; null for an observation without one, and for one that is imported already, which
   * stays as it is.
   */
  async of({ observation, origin }: Staged, taxonomy: string | null): Promise<string | null> {
    const { objects, source } = this.writing;
    const { individual: name, id } = observation;
    if (name === null) return null;
    const key = JSON.stringify([taxonomy, name]);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if ((await objects.findUnique('encounter', { source, external_id: id })) !== null) return null;
    const found = await this.make(name, taxonomy, origin);
    this.known.set(key, found);
    return found;
  }

  /** Creates it, or finds the one that has the name. */
  private async make(
    name: string,
    taxonomy: string | null,
    origin: Staged['origin'],
  ): Promise<string | null> {
    const { objects, caller, source, owner, job } = this.writing;
    const tally = job.summary.individuals;
    const body: Body = {
      names: [{ context: source.slice(0, MAX_CONTEXT), value: name, preferred: false }],
      ...(taxonomy === null ? {} : { taxonomy }),
      ...(owner === null ? {} : { owner }),
    };
    try {
      const { id } = await objects.write({ op: 'create', type: 'individual', body }, caller);
      tally.created += 1;
      return id;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const holder = error.key === 'ENTITY_EXISTS' ? error.args['id'] : undefined;
      if (typeof holder === 'string') {
        tally.existing += 1;
        return holder;
      }
      tally.refused += 1;
      for (const { reason } of refusals(error))
        job.report({ ...origin, field: 'individualID', reason, value: valueText(name) });
      return null;
    }
  }
}
