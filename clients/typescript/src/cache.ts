/** An answer that was read before. */
interface Kept {
  readonly etag: string;
  readonly text: string;
}

/** What is known of a request's answer. */
interface Known {
  readonly key: string;
  /** The answer that was kept, after the service has said that it is still the same. */
  answer(headers: Headers): Response;
}

/** How many answers are kept, those that were read last, and how many characters each may have. */
const MAX_ANSWERS = 200;
const MAX_LENGTH = 256 * 1024;

/**
 * Answers by their ETags: a read that is repeated is asked with `If-None-Match`, and 304 gives the answer that was kept, with
 * the headers of the new one. Emptied where the caller changes, because what one may see depends on who asks.
 */
export class AnswerCache {
  private readonly answers = new Map<string, Kept>();

  /** Asks with the ETag that is known. @returns null for a request whose answer is not kept */
  ask(request: Request): Known | null {
    if (request.method !== 'GET' || request.headers.has('If-None-Match')) return null;
    const key = `${request.headers.get('X-Claim') ?? ''} ${request.url}`;
    const kept = this.answers.get(key);
    if (kept) request.headers.set('If-None-Match', kept.etag);
    return {
      key,
      answer: (headers) => {
        if (!kept) throw new TypeError('304 for a request without If-None-Match');
        this.put(key, kept);
        const all = new Headers(headers);
        all.set('Content-Type', 'application/json; charset=utf-8');
        return new Response(kept.text, { status: 200, headers: all });
      },
    };
  }

  keep(key: string, { headers }: Response, text: string): void {
    const etag = headers.get('ETag');
    if (etag === null || text.length > MAX_LENGTH) return;
    this.put(key, { etag, text });
  }

  clear(): void {
    this.answers.clear();
  }

  private put(key: string, kept: Kept): void {
    this.answers.delete(key);
    this.answers.set(key, kept);
    const [oldest] = this.answers.keys();
    if (this.answers.size > MAX_ANSWERS && oldest !== undefined) this.answers.delete(oldest);
  }
}
