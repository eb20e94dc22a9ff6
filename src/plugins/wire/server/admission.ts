/** Limits how much is under way at once. Any further request is refused, so that no queue grows without bound. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, type ApiError } from '../../../core/errors';
import { BodyRoom } from './intake';
import type { ApiRequest } from './request';

/**
 * Requests of /api/v0 between their body and their answer: half a second of writes on SQLite. A request whose body is
 * still being received, or that waits elsewhere, is not counted, so that neither can block the service.
 */
const MAX_UNDER_WAY = 500;

/** Bytes of a JSON body. */
export const MAX_BODY = 1024 * 1024;

/** The bounds of a JSON body. */
export interface BodyLimits {
  readonly bytes: number;
  /** At any depth. The largest valid object has about 2,000. */
  readonly values: number;
}

const ONE: BodyLimits = { bytes: MAX_BODY, values: 10_000 };
const BULK: BodyLimits = { bytes: 4 * MAX_BODY, values: 100_000 };

const isBulk = ({ route }: ApiRequest): boolean => route?.config.operation.isBulk === true;

export const limitsOf = (request: ApiRequest): BodyLimits => (isBulk(request) ? BULK : ONE);

/** Bulks between their body and their answer: each may keep the database busy for a second. */
const MAX_BULKS = 4;

/** Blocks shared by the bodies of all requests but bulks, and by those of bulks: 8 and 16 MiB. */
const BLOCKS = 512;
const BLOCKS_OF_BULKS = 1024;

/** Requests to Strapi's own routes with a large body, which Strapi reads before it identifies the sender. */
const MAX_LARGE_FOREIGN = 8;
const LARGE = 64 * 1024;

/** Seconds; an overload usually ends within one. */
const RETRY_AFTER = '1';

/** The refusal of a request beyond a limit. */
export const overloaded = (headers: Readonly<Record<string, string>> = {}): ApiError =>
  fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER, ...headers });

/** The requests that are under way in this process. */
export class RequestAdmission {
  /** The room for bodies, from their first byte until their answer has been sent. */
  private readonly room = new BodyRoom(ONE.bytes, BLOCKS);
  private readonly bulkRoom = new BodyRoom(BULK.bytes, BLOCKS_OF_BULKS);
  private underWay = 0;
  private bulks = 0;
  private largeForeign = 0;

  roomFor(request: ApiRequest): BodyRoom {
    return isBulk(request) ? this.bulkRoom : this.room;
  }

  /** Counts a request whose body is read, until it leaves. @throws ApiError UNAVAILABLE */
  enter(request: ApiRequest): void {
    if (this.underWay >= MAX_UNDER_WAY || (isBulk(request) && this.bulks >= MAX_BULKS))
      throw overloaded();
    this.count(request, 1);
    request.place = 'counted';
  }

  /** Has to be called for every request, whether it was admitted or not, after which it is not counted any more. */
  leave(request: ApiRequest): void {
    if (request.place === 'counted') this.count(request, -1);
    request.place = 'left';
    request.intake?.release();
  }

  private count(request: ApiRequest, by: 1 | -1): void {
    this.underWay += by;
    if (isBulk(request)) this.bulks += by;
  }

  /**
   * Lets a request wait for slow work. Meanwhile it is not counted and its body takes no room. It may have been answered when
   * the work ends, where it did not wait for it alone.
   */
  async leaveWhile<T>(request: ApiRequest, work: Promise<T>): Promise<T> {
    if (request.place !== 'counted') return work;
    this.leave(request);
    request.place = 'waiting';
    request.intake = null;
    try {
      return await work;
    } finally {
      if (isWaiting(request)) {
        this.count(request, 1);
        request.place = 'counted';
      }
    }
  }

  /** Whether this request may go to Strapi; counted until it is answered. */
  admitsForeign({ headers }: IncomingMessage, res: ServerResponse): boolean {
    const isChunked = headers['transfer-encoding'] !== undefined;
    if (!isChunked && Number(headers['content-length'] ?? 0) <= LARGE) return true;
    if (this.largeForeign >= MAX_LARGE_FOREIGN) return false;
    this.largeForeign += 1;
    res.once('close', () => (this.largeForeign -= 1));
    return true;
  }
}

const isWaiting = ({ place }: ApiRequest): boolean => place === 'waiting';
