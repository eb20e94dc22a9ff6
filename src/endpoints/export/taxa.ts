/** The taxa of an export, with all above them. */
import type { Field } from '../../plugins/objects/server/declare/completed';
import type { Body } from '../../plugins/objects/server/declare/objects';
import { present, readReferred, type ExportSource } from './source';

/** Taxa that are kept: some megabytes. */
const MAX_KEPT = 20_000;

/** Steps up from a taxon; it has no circles, but it may change meanwhile. */
const MAX_ABOVE = 100;

export class Taxa {
  /** Null for one that is not there. */
  private readonly kept = new Map<string, Body | null>();

  /**
   * @param links the fields of a taxon that refer to taxa: that to the one above, and that to the accepted one
   * @param fields those that are read
   */
  constructor(
    private readonly source: Omit<ExportSource, 'pages'>,
    private readonly links: readonly Field[],
    private readonly fields: readonly Field[],
  ) {}

  /** Reads the taxa that a field of these objects refers to, and those that they refer to in turn. */
  async read(field: Field, objects: readonly Body[]): Promise<void> {
    if (this.kept.size > MAX_KEPT) this.kept.clear();
    await this.readNew(field, objects);
    let found = this.among(field, objects);
    for (let step = 0; found.length > 0 && step < MAX_ABOVE; step += 1) {
      const next: Body[] = [];
      for (const link of this.links) next.push(...(await this.readNew(link, found)));
      found = next;
    }
  }

  get(id: unknown): Body | null {
    return typeof id === 'string' ? (this.kept.get(id) ?? null) : null;
  }

  /** The taxa from the highest one down to this one. */
  lineOf(taxon: Body | null, above: Field): Body[] {
    const line: Body[] = [];
    for (let one = taxon; one && line.length < MAX_ABOVE; one = this.get(one[above.name]))
      line.unshift(one);
    return line;
  }

  private among(field: Field, objects: readonly Body[]): Body[] {
    return present(objects.map((object) => this.get(object[field.name])));
  }

  /** @returns those that were not known before */
  private async readNew(field: Field, objects: readonly Body[]): Promise<Body[]> {
    const unknown = objects.filter((object) => {
      const id = object[field.name];
      return typeof id === 'string' && !this.kept.has(id);
    });
    if (unknown.length === 0) return [];
    const found = await readReferred(this.source, field, this.fields, unknown);
    for (const object of unknown) {
      const id = String(object[field.name]);
      this.kept.set(id, found.get(id) ?? null);
    }
    return [...found.values()];
  }
}
