/**
 * A bounded number of transfers that send or take bytes at their own pace: uploads that are being received, exports that are
 * being sent. When it is full, the slowest transfer of the origin that has most is evicted, so that nobody who is slow on
 * purpose keeps the others out.
 */
import { fail } from './errors';

export interface AdmissionSize {
  /** Places of all transfers, and of those of one origin. */
  readonly places: number;
  readonly placesOfOne: number;
  /** Bytes that are kept for all transfers; for those of one origin half of them. */
  readonly bytes?: () => number;
}

/** A transfer. It keeps its place until it settles or leaves. */
export interface Transfer {
  /** From now on it can be evicted, once at most, by this function; its place is free before that is called. */
  whenFull(evict: () => void): void;
  /** It is the transfer's turn to send or take bytes. */
  itsTurn(): void;
  /** The transfer has sent or taken bytes. */
  moved(bytes: number): void;
  /** It has sent all: its place is free, its bytes are still kept, and it is not evicted any more. */
  settle(): void;
  /** Nothing of it is kept any more. May be called more often than once. */
  leave(): void;
}

/** Seconds after which a transfer that was not let in may come again. */
const RETRY_AFTER = '10';

/** Milliseconds without a byte of a transfer whose turn it is, after which it gives way to anybody. */
const STANDS_STILL = 10_000;

/** Milliseconds from which on a speed is told from another. */
const SHORT = 1000;

/** The refusal of a transfer for which there is no room. */
export const noRoom = (): Error => fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER });

/** What an origin has. */
interface Share {
  places: number;
  bytes: number;
}

class Entry implements Transfer {
  places = 1;
  bytes = 0;
  evict: (() => void) | null = null;
  /** The time that it has taken for its bytes, and since when it has been its turn. */
  private taken = 0;
  private since: number | null = null;
  private isGone = false;

  constructor(
    readonly origin: string,
    private readonly admission: Admission,
  ) {}

  whenFull(evict: () => void): void {
    this.evict = evict;
  }

  itsTurn(): void {
    this.since ??= this.admission.now();
  }

  moved(bytes: number): void {
    if (this.since !== null) this.taken += this.admission.now() - this.since;
    this.since = null;
    if (this.isGone) return;
    this.bytes += bytes;
    this.admission.add(this, 0, bytes);
  }

  settle(): void {
    if (this.isGone) return;
    this.evict = null;
    this.admission.add(this, -this.places, 0);
    this.places = 0;
  }

  leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.evict = null;
    this.admission.remove(this);
  }

  /** Milliseconds since the last byte, where it is its turn. */
  silence(): number {
    return this.since === null ? 0 : this.admission.now() - this.since;
  }

  /** Bytes per millisecond of its own. */
  speed(): number {
    return this.bytes / Math.max(this.taken + this.silence(), SHORT);
  }
}

export class Admission {
  private readonly transfers = new Set<Entry>();
  private readonly shares = new Map<string, Share>();
  private readonly all: Share = { places: 0, bytes: 0 };

  constructor(
    private readonly size: AdmissionSize,
    readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Lets a transfer in, for which another one may be evicted: one of its own origin, where that has no further place, only
   * if it stands still.
   *
   * @throws ApiError UNAVAILABLE when it is full of transfers of others, none of which has more places, or stands still
   */
  enter(origin: string): Transfer {
    const own = this.shares.get(origin)?.places ?? 0;
    if (own >= this.size.placesOfOne)
      this.evict(this.silent((transfer) => transfer.origin === origin));
    else if (this.all.places >= this.size.places)
      this.evict(this.slowestOfMost(own + 1) ?? this.silent(() => true));
    const transfer = new Entry(origin, this);
    this.transfers.add(transfer);
    this.add(transfer, transfer.places, 0);
    return transfer;
  }

  /** Counts places and bytes. @throws never: where bytes are too many, transfers are evicted */
  add(transfer: Entry, places: number, bytes: number): void {
    const share = this.shares.get(transfer.origin) ?? { places: 0, bytes: 0 };
    this.shares.set(transfer.origin, share);
    for (const one of [share, this.all]) {
      one.places += places;
      one.bytes += bytes;
    }
    if (bytes > 0) this.bound(transfer, share);
  }

  remove(transfer: Entry): void {
    this.transfers.delete(transfer);
    this.add(transfer, -transfer.places, -transfer.bytes);
    const share = this.shares.get(transfer.origin);
    if (share?.places === 0 && share.bytes === 0) this.shares.delete(transfer.origin);
  }

  /** The origin of who has just sent bytes has few enough, and so have all. */
  private bound(transfer: Entry, share: Share): void {
    const max = this.size.bytes?.() ?? Infinity;
    while (share.bytes > max / 2) {
      const slow = slowest(this.leaving((one) => one.origin === transfer.origin));
      if (!slow) return;
      this.evict(slow);
    }
    while (this.all.bytes > max) {
      const slow = this.slowestOf((one) => this.shares.get(one.origin)?.bytes ?? 0);
      if (!slow) return;
      this.evict(slow);
    }
  }

  /** The slowest transfer of the origin that has most places, if that is more than so many. */
  private slowestOfMost(places: number): Entry | undefined {
    const placesOf = ({ origin }: Entry): number => this.shares.get(origin)?.places ?? 0;
    const slow = this.slowestOf(placesOf);
    return slow && placesOf(slow) > places ? slow : undefined;
  }

  /** The slowest of the transfers of which an origin has most. */
  private slowestOf(has: (transfer: Entry) => number): Entry | undefined {
    const leaving = this.leaving(() => true);
    const most = Math.max(...leaving.map(has));
    return slowest(leaving.filter((transfer) => has(transfer) === most));
  }

  /** The one of these that has stood still the longest. */
  private silent(are: (transfer: Entry) => boolean): Entry | undefined {
    const still = this.leaving((one) => are(one) && one.silence() >= STANDS_STILL);
    return still.sort((one, other) => other.silence() - one.silence())[0];
  }

  private leaving(are: (transfer: Entry) => boolean): Entry[] {
    return [...this.transfers].filter((transfer) => transfer.evict !== null && are(transfer));
  }

  /** @throws ApiError UNAVAILABLE when there is nobody to be evicted */
  private evict(transfer: Entry | undefined): void {
    if (!transfer) throw noRoom();
    const { evict } = transfer;
    transfer.leave();
    evict?.();
  }
}

const slowest = (transfers: readonly Entry[]): Entry | undefined =>
  [...transfers].sort((one, other) => one.speed() - other.speed())[0];
