/** What is typed and not decided yet: it outlasts a conflict, and a session that ends. */
import type { TypedDraft } from './steps';

const PREFIX = 'panel.review.draft.';

export function readDraft(id: string): TypedDraft | null {
  const stored = sessionStorage.getItem(PREFIX + id);
  if (stored === null) return null;
  try {
    return JSON.parse(stored) as TypedDraft;
  } catch {
    return null;
  }
}

export function keepDraft(id: string, draft: TypedDraft | null): void {
  if (draft === null) sessionStorage.removeItem(PREFIX + id);
  else sessionStorage.setItem(PREFIX + id, JSON.stringify(draft));
}
