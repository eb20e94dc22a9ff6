import { useCallback, useState } from 'react';
import { useTable } from '@strapi/strapi/admin';
import { Button, Flex, Modal, Typography } from '@strapi/design-system';
import { usePanelTexts } from '../parts/texts';
import { useIntl } from 'react-intl';
import { STATES, type ListedState } from './api';
import type { BulkAction, Description, ListProps } from './content-manager';
import { NoteInput } from './note-input';
import { VARIANTS } from './review-panel';
import { useOpenReviews, useReview } from './use-review';

/** The review of a selection in a list: a button for each state that can be set for some of it. */
export const bulkReviews: readonly Description<ListProps, BulkAction>[] = STATES.map((state) => {
  const BulkReview: Description<ListProps, BulkAction> = ({ model, documents }) => {
    const say = usePanelTexts('review');
    const selectRow = useTable('BulkReview', (table) => table.selectRow);
    const reviews = useOpenReviews(model, documents);
    const isOpen = documents.some(({ documentId }) => reviews[documentId]?.includes(state));
    // A new component would lose its note.
    const content = useCallback(
      ({ onClose }: { readonly onClose: () => void }) => (
        <Decision
          model={model}
          documents={documents}
          state={state}
          onClose={onClose}
          onDone={() => selectRow([])}
        />
      ),
      [model, documents, selectRow],
    );
    if (!isOpen) return null;
    const label = say(state);
    return { label, variant: VARIANTS[state], dialog: { type: 'modal', title: label, content } };
  };
  return BulkReview;
});

function Decision({
  model,
  documents,
  state,
  onClose,
  onDone,
}: ListProps & {
  readonly state: ListedState;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const intl = useIntl();
  const say = usePanelTexts('review');
  const [note, setNote] = useState('');
  const { review, isLoading } = useReview(model);
  const decide = async (): Promise<void> => {
    if (!(await review(documents, state, note))) return;
    onClose();
    onDone();
  };
  return (
    <>
      <Modal.Body>
        <Flex direction="column" alignItems="stretch" gap={4}>
          <Typography>{say('count', { count: documents.length })}</Typography>
          <NoteInput value={note} onChange={setNote} />
        </Flex>
      </Modal.Body>
      <Modal.Footer>
        <Button variant="tertiary" onClick={onClose}>
          {intl.formatMessage({ id: 'app.components.Button.cancel', defaultMessage: 'Cancel' })}
        </Button>
        <Button variant={VARIANTS[state]} loading={isLoading} onClick={() => void decide()}>
          {say(state)}
        </Button>
      </Modal.Footer>
    </>
  );
}
