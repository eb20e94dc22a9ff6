/** How much the service takes on at once. What is beyond is refused, so that nothing queues without end. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, type ApiError } from '../../../core/errors';
import { Room } from './intake';
import type { ApiRequest } from './request';

/**
 * Requests of /api/v0 between their body and their answer: half a second of writes on SQLite. A sender that takes its
 * time is not among them, nor is a request that waits for its turn elsewhere: neither can fill the service.
 */
const MAX_UNDER_WAY = 500;

/** Bytes of a JSON body. */
export const MAX_BODY = 1024 * 1024;

/** Requests to Strapi's own routes whose body is large: it reads them before it asks who sends them. */
const MAX_LARGE_FOREIGN = 8;
const LARGE = 64 * 1024;

/** Seconds; what keeps the service busy passes within one. */
const RETRY_AFTER = '1';

/** The refusal of what is too much. */
export const overloaded = (headers: Readonly<Record<string, string>> = {}): ApiError =>
  fail('UNAVAILABLE', {}, { 'Retry-After': RETRY_AFTER, ...headers });

/** What is under way in this process. */
export class Admission {
  /** For bodies, from their first byte until the answer is out. */
  readonly room = new Room(MAX_BODY);
  private underWay = 0;
  private largeForeign = 0;

  /** Counts a request whose body is read, until it leaves. @throws ApiError UNAVAILABLE */
  enter(request: ApiRequest): void {
    if (this.underWay >= MAX_UNDER_WAY) throw overloaded();
    this.underWay += 1;
    request.isAdmitted = true;
  }

  /** Has to be called once for every request, whatever became of it. */
  leave(request: ApiRequest): void {
    if (request.isAdmitted) this.underWay -= 1;
    request.intake?.release();
  }

  /** Lets a request wait for something: meanwhile it counts as none, and its body has no room. */
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

  /** Whether Strapi may have this request; counted until it is answered. */
  admitsForeign({ headers }: IncomingMessage, res: ServerResponse): boolean {
    const isChunked = headers['transfer-encoding'] !== undefined;
    if (!isChunked && Number(headers['content-length'] ?? 0) <= LARGE) return true;
    if (this.largeForeign >= MAX_LARGE_FOREIGN) return false;
    this.largeForeign += 1;
    res.once('close', () => (this.largeForeign -= 1));
    return true;
  }
}
