/** The animals of a package that are known again, by their IDs in it. */
import { isUuid } from '../../../../core/formats';
import { fold, ownText } from '../../../../core/text';
import { meaning } from '../vocabularies/vocabulary';
import type { KnownOrganism, Organism } from './dataset';
import type { Fault, ValuePlace } from './fault';
import type { TaxaPlan, TaxonPlan } from './taxa';

/** One animal: what all of its records say. */
interface Known {
  readonly id: string;
  readonly place: ValuePlace;
  name: string | null;
  remarks: string | null;
  /** The keys of the taxa that it was identified as, each with the place where it was first. */
  readonly taxa: Map<string, ValuePlace>;
}

/** What an ID of an organism means. */
export type OrganismIdentity =
  | { readonly is: 'one'; readonly id: string }
  | { readonly is: 'nobody' }
  | { readonly is: 'several' };

/** `unknown` and the like name nobody; `F12|F13` are two animals. */
export function identityOf(text: string): OrganismIdentity {
  const parts = text.split('|').flatMap((part) => part.trim() || []);
  if (parts.length > 1) return { is: 'several' };
  const id = parts[0] ?? '';
  return id === '' || meaning('nobody', id) !== null ? { is: 'nobody' } : { is: 'one', id };
}

const ownOrNull = (text: string | null): string | null => (text === null ? null : ownText(text));

const keyOf = (source: string, id: string): string => JSON.stringify([source, fold(id)]);

export class Organisms {
  private readonly known = new Map<string, Known>();
  /** How many have a name, by source. */
  private readonly named = new Map<string, number>();

  /** @param taxon the key of the taxon of this record; null where it is not identified */
  add(source: string, organism: Organism, taxon: string | null, place: ValuePlace): void {
    const key = keyOf(source, organism.id);
    let one = this.known.get(key);
    if (!one) {
      const id = ownText(organism.id);
      this.known.set(key, (one = { id, name: null, remarks: null, place, taxa: new Map() }));
    }
    if (one.name === null && organism.name !== null) {
      one.name = ownText(organism.name);
      this.count(source, one.name);
    }
    one.remarks ??= ownOrNull(organism.remarks);
    if (taxon !== null && !one.taxa.has(taxon)) one.taxa.set(taxon, place);
  }

  /**
   * Each animal with the finest taxon that all of its records agree with.
   *
   * @returns the animal of an ID
   */
  settle(
    { byKey }: Pick<TaxaPlan, 'byKey'>,
    report: (fault: Fault) => void,
  ): (source: string, id: string) => KnownOrganism | null {
    const settled = new Map<string, TaxonPlan | null>();
    for (const [key, { id, taxa }] of this.known) {
      const plans = [...taxa].flatMap(([taxon, place]) => {
        const plan = byKey.get(taxon);
        return plan ? [{ plan, place }] : [];
      });
      let agreed = plans[0]?.plan ?? null;
      let isTold = false;
      for (const { plan, place } of plans) {
        const next: TaxonPlan | null = agreed && finer(agreed, plan);
        if (next === null && !isTold) {
          isTold = true;
          const names = `${agreed?.scientificName ?? ''} and as ${plan.scientificName}`;
          report({ ...place, reason: `is identified as ${names}, which do not agree`, value: id });
        }
        agreed = isTold ? agreed && common(agreed, plan) : next;
      }
      settled.set(key, agreed);
    }
    return (source, id) => {
      const key = keyOf(source, id);
      const one = this.known.get(key);
      if (!one) return null;
      const { name, remarks, place } = one;
      const organism = { id: one.id, name, remarks, column: place.field };
      return { ...organism, isNamed: this.isEnough(source, one), taxon: settled.get(key) ?? null };
    };
  }

  /** Whether the name alone tells the animal: its ID is one that a database has made, which is no name. */
  private isEnough(source: string, { id, name }: Known): boolean {
    return name !== null && isUuid(id) && this.named.get(keyOf(source, name)) === 1;
  }

  private count(source: string, name: string): void {
    const key = keyOf(source, name);
    this.named.set(key, (this.named.get(key) ?? 0) + 1);
  }
}

const lineOf = (taxon: TaxonPlan | null): TaxonPlan[] =>
  taxon === null ? [] : [taxon, ...lineOf(taxon.parent)];

/** The lower of two taxa of which one is above the other; null for others. */
function finer(one: TaxonPlan, other: TaxonPlan): TaxonPlan | null {
  if (lineOf(one).includes(other)) return one;
  return lineOf(other).includes(one) ? other : null;
}

/** The lowest taxon above both; null without one. */
const common = (one: TaxonPlan, other: TaxonPlan): TaxonPlan | null =>
  lineOf(one).find((taxon) => lineOf(other).includes(taxon)) ?? null;
