import { useMemo } from 'react';
import { useNotification, useRBAC } from '@strapi/strapi/admin';
import { usePanelTexts } from '../parts/texts';
import { useOpenReviewsQuery, useReviewMutation, type OpenReviews, type ListedState } from './api';
import type { Document } from './content-manager';

/** The states that the user may set now, by the IDs of these documents; empty for a user who may not review. */
export function useOpenReviews(model: string, documents: readonly Document[]): OpenReviews {
  const permissions = useMemo(() => [{ action: 'plugin::panel.review', subject: model }], [model]);
  const { allowedActions } = useRBAC(permissions);
  const ids = documents.map(({ documentId }) => documentId);
  const skip = allowedActions['canReview'] !== true || ids.length === 0;
  const { currentData = {} } = useOpenReviewsQuery({ model, ids }, { skip });
  return skip ? {} : currentData;
}

/** The texts of refusals that apply to all records together. */
const REFUSALS: Readonly<Record<number, string>> = { 402: 'moved', 409: 'closed', 412: 'moved' };

/** Reviews documents in the versions that are shown, and notifies the user of the result. */
export function useReview(model: string) {
  const say = usePanelTexts('review');
  const { toggleNotification } = useNotification();
  const [send, { isLoading }] = useReviewMutation();
  const tell = (type: 'success' | 'warning' | 'danger', message: string) =>
    toggleNotification({ type, message, timeout: 8000 });

  async function review(
    documents: readonly Document[],
    state: ListedState,
    note: string,
  ): Promise<boolean> {
    const records = documents.map(({ documentId, version }) => ({
      id: documentId,
      version: version ?? 0,
    }));
    const answer = await send({ model, state, review_note: note === '' ? null : note, records });
    if ('error' in answer) {
      tell('danger', answer.error.message ?? say('failed'));
      return false;
    }
    const outcomes = answer.data;
    const done = outcomes.filter(({ status }) => status === 200);
    if (done.length > 0) tell('success', say('done', { count: done.length }));
    for (const text of new Set(Object.values(REFUSALS))) {
      const refused = outcomes.filter(({ status }) => REFUSALS[status] === text);
      const names = refused.map(({ id }) => nameOf(documents.find((one) => one.documentId === id)));
      if (refused.length > 0)
        tell('warning', say(text, { count: refused.length, names: names.join(', ') }));
    }
    for (const { status, message } of outcomes)
      if (status !== 200 && !(status in REFUSALS)) tell('danger', message ?? say('failed'));
    return true;
  }

  return { review, isLoading };
}

/** How a document is named to the user. */
const nameOf = (document: Document | undefined): string => {
  const time = document?.['time'];
  return typeof time === 'string' ? time : (document?.documentId ?? '');
};
