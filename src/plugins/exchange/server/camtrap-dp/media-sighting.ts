import type { Instant } from './event-time';
import type { Observation, Staged } from './observations';

/** Values that differ are kept up to this number, so that an event with a million media stays small. */
const MAX_DISTINCT = 100;

/**
 * Makes one observation out of those of an event's media, for an event that nobody classified as a whole. They
 * have to come in the order of their media files and, within one, of who classified them.
 *
 * It is known by the ID of the earliest one, and lasts from the first to the last. Sex and life stage are kept
 * where all who name one agree. The count is the largest number in one file by one classifier: the same animals
 * are in one file after the other, and a person and a machine may have classified the same file, but several
 * observations of one file by one classifier are different animals (a hen, her nine chicks).
 */
export class MediaSighting {
  private first: Staged;
  private end: Instant;
  private count: number | null = null;
  private inFile: { media: string | null; classifier: string | null; count: number } | null = null;
  private readonly sexes = new Distinct<NonNullable<Observation['sex']>>();
  private readonly lifeStages = new Distinct<NonNullable<Observation['lifeStage']>>();
  private readonly behaviors = new Distinct<string>();
  private readonly tags = new Distinct<string>();
  private readonly remarks = new Distinct<string>();
  private readonly media = new Distinct<string>();
  private measurements: Observation['measurements'] = [];

  constructor(staged: Staged) {
    this.first = staged;
    this.end = staged.observation.time.end;
    this.add(staged);
  }

  add(staged: Staged): void {
    const { observation } = staged;
    if (isEarlier(observation, this.first.observation)) this.first = staged;
    if (observation.time.end.at > this.end.at) this.end = observation.time.end;
    if (observation.count !== null) this.countIn(observation, observation.count);
    this.sexes.add(observation.sex);
    this.lifeStages.add(observation.lifeStage);
    this.behaviors.add(observation.behavior);
    observation.tags.forEach((tag) => this.tags.add(tag));
    this.remarks.add(observation.remarks);
    this.media.add(observation.media);
    if (this.measurements.length === 0) this.measurements = observation.measurements;
  }

  /** The observation of them all, standing where the earliest one stands. */
  get merged(): Staged {
    const { origin, observation } = this.first;
    return {
      origin,
      observation: {
        ...observation,
        time: { start: observation.time.start, end: this.end },
        count: this.count,
        sex: this.sexes.agreed,
        lifeStage: this.lifeStages.agreed,
        behavior: this.behaviors.values.join(' | ') || null,
        tags: this.tags.values,
        remarks: this.remarks.values.join('\n') || null,
        measurements: this.measurements,
        allMedia: this.media.values,
      },
    };
  }

  private countIn({ media, classifier }: Observation, count: number): void {
    const { inFile } = this;
    const same = inFile !== null && inFile.media === media && inFile.classifier === classifier;
    this.inFile = {
      media,
      classifier,
      count: same && media !== null ? inFile.count + count : count,
    };
    this.count = Math.max(this.count ?? 0, this.inFile.count);
  }
}

class Distinct<T extends string> {
  private readonly found = new Set<T>();

  add(value: T | null): void {
    if (value !== null && this.found.size < MAX_DISTINCT) this.found.add(value);
  }

  get values(): T[] {
    return [...this.found];
  }

  /** The one value that there is. */
  get agreed(): T | null {
    const [only = null] = this.found;
    return this.found.size === 1 ? only : null;
  }
}

/** By time, then by ID, so that the order of the file does not decide. */
function isEarlier(a: Observation, b: Observation): boolean {
  const difference = a.time.start.at - b.time.start.at;
  return difference < 0 || (difference === 0 && a.id < b.id);
}
