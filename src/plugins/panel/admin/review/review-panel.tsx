import { useState } from 'react';
import { useForm } from '@strapi/strapi/admin';
import { Button, Flex, Typography } from '@strapi/design-system';
import { usePanelTexts } from '../parts/texts';
import { STATES, type ListedState } from './api';
import type { Description, Document, PageProps, SidePanel } from './content-manager';
import { NoteInput } from './note-input';
import { useOpenReviews, useReview } from './use-review';

/** The colors of the buttons. */
export const VARIANTS = {
  approved: 'success-light',
  rejected: 'danger-light',
  pending: 'secondary',
} as const satisfies Record<ListedState, string>;

const NOTHING: readonly Document[] = [];

/** The review of the record on its page: nothing where the user may set no state. */
export const ReviewPanel: Description<PageProps, SidePanel> = ({ model, document }) => {
  const say = usePanelTexts('review');
  const reviews = useOpenReviews(model, document ? [document] : NOTHING);
  const open = reviews[document?.documentId ?? ''] ?? [];
  if (!document || open.length === 0) return null;
  return {
    title: say('title'),
    content: <Decision model={model} document={document} open={open} />,
  };
};

function Decision({
  model,
  document,
  open,
}: {
  readonly model: string;
  readonly document: Document;
  readonly open: readonly ListedState[];
}) {
  const say = usePanelTexts('review');
  const [note, setNote] = useState('');
  const { review, isLoading } = useReview(model);
  // The page is read again after a review, and would lose what is not saved.
  const isUnsaved = useForm('ReviewPanel', ({ modified }) => modified);
  const decide = async (state: ListedState): Promise<void> => {
    if (await review([document], state, note)) setNote('');
  };
  return (
    <Flex direction="column" alignItems="stretch" gap={2} width="100%">
      <NoteInput value={note} onChange={setNote} />
      {isUnsaved ? <Typography variant="pi">{say('unsaved')}</Typography> : null}
      <Flex gap={2}>
        {STATES.filter((state) => open.includes(state)).map((state) => (
          <Button
            key={state}
            type="button"
            flex="1"
            variant={VARIANTS[state]}
            disabled={isUnsaved || isLoading}
            onClick={() => void decide(state)}
          >
            {say(state)}
          </Button>
        ))}
      </Flex>
    </Flex>
  );
}
