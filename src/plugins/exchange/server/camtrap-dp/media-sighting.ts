import type { Instant } from './event-time';
import type { Observation, Staged } from './observations';

/** The maximum number of distinct values that are kept, so that an event with a million media stays small. */
const MAX_DISTINCT = 100;

/**
 * Combines the observations of an event's media to one, for an event that was not classified as a whole. They have to
 * be sorted by media file and, within one, by classifier.
 *
 * It has the ID of the earliest one, and lasts from the first to the last. Sex and life stage are kept if all
 * observations that have them agree. The count is the largest number in one file by one classifier: the same animals
 * recur in consecutive files, and a person and a machine may have classified the same file, but several observations of
 * one file by one classifier are different animals (a hen, her nine chicks).
 */
export class MediaSighting {
  private first: Staged;
  private end: Instant;
  private count: number | null = null;
  private inFile: { media: string | null; classifier: string | null; count: number } | null = null;
  private readonly sexes = new Distinct<string>();
  private readonly lifeStages = new Distinct<string>();
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

  /** The combined observation, at the position of the earliest one. */
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

  /** The value, if there is exactly one. */
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
