import type { Operation } from '../plugins/wire/server/router';

/** One of the calls that every type of objects has. */
export interface StandardOperation extends Operation {
  readonly kind: 'create' | 'read' | 'update' | 'delete';
  readonly type: string;
}

/** A call that answers a document, outside the envelope. */
export interface DocumentOperation extends Operation {
  readonly kind: 'document';
  readonly summary: string;
}
