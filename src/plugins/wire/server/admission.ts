/** Limits how much is under way at once. Any further request is refused, so that no queue grows without bound. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, type ApiError } from '../../../core/errors';
import { Room } from './intake';
import type { ApiRequest } from './request';

/**
 * Requests of /api/v0 between their body and their answer: half a second of writes on SQLite. A request whose body is
 * still being received, or that waits elsewhere, is not counted, so that neither can block the service.
 */
const MAX_UNDER_WAY = 500;

/** Bytes of a JSON body. */
export const MAX_BODY = 1024 * 1024;

/** Requests to Strapi's own routes with a large body, which Strapi reads before it identifies the sender. */
const MAX_LARGE_FOREIGN = 8;
const LARGE = 64 * 1024;

/** Seconds; an overload usually ends within one. */
const RETRY_AFTER = '1';

/** The refusal of a request beyond a limit. */
export const overloaded = (headers: Readonly<Record<string, string>> = {}): ApiError =>
  fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER, ...headers });

/** The requests that are under way in this process. */
export class Admission {
  /** The room for bodies, from their first byte until their answer has been sent. */
  readonly room = new Room(MAX_BODY);
  private underWay = 0;
  private largeForeign = 0;

  /** Counts a request whose body is read, until it leaves. @throws ApiError UNAVAILABLE */
  enter(request: ApiRequest): void {
    if (this.underWay >= MAX_UNDER_WAY) throw overloaded();
    this.underWay += 1;
    request.isAdmitted = true;
  }

  /** Has to be called once for every request, whether it was admitted or not. */
  leave(request: ApiRequest): void {
    if (request.isAdmitted) this.underWay -= 1;
    request.intake?.release();
  }

  /** Lets a request wait for slow work. Meanwhile it is not counted and its body takes no room. */
  async leaveWhile<T>(request: ApiRequest, work: Promise<T>): Promise<T> {
    if (!request.isAdmitted) return work;
    this.leave(request);
    request.isAdmitted = false;
    request.intake = null;
    try {
      return await work;
    } finally {
      this.underWay += 1;
      request.isAdmitted = true;
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
