import { Button, Flex, Typography } from '@strapi/design-system';
import { useSay } from './texts';

interface ActionProps {
  readonly count: number;
  readonly isOff: boolean;
  readonly canUndo: boolean;
  readonly onApprove: () => void;
  readonly onReject: () => void;
  readonly onSkip: () => void;
  readonly onUndo: () => void;
}

/** What can be done with the open record, or with those that are selected. */
export function Actions({
  count,
  isOff,
  canUndo,
  onApprove,
  onReject,
  onSkip,
  onUndo,
}: ActionProps) {
  const say = useSay();
  const more = count > 1 ? ` (${count})` : '';
  return (
    <Flex
      gap={1}
      padding={3}
      wrap="wrap"
      borderColor="neutral150"
      borderStyle="solid"
      borderWidth="1px 0 0 0"
    >
      <Button size="S" variant="success" disabled={isOff} onClick={onApprove}>
        {say('approve') + more}
      </Button>
      <Button size="S" variant="danger-light" disabled={isOff} onClick={onReject}>
        {say('reject') + more}
      </Button>
      <Button size="S" variant="tertiary" onClick={onSkip}>
        {say('skip')}
      </Button>
      <Button size="S" variant="tertiary" disabled={!canUndo} onClick={onUndo}>
        {say('undo')}
      </Button>
    </Flex>
  );
}

/** In place of a record: there is none, or none yet. */
export function Empty({
  queue,
  canUndo,
  onUndo,
}: {
  readonly queue: { readonly total: number | null; readonly hasFailed: boolean };
  readonly canUndo: boolean;
  readonly onUndo: () => void;
}) {
  const say = useSay();
  const text = queue.hasFailed ? 'failed' : queue.total === null ? 'loading' : 'nothingWaits';
  return (
    <Flex direction="column" justifyContent="center" gap={4} padding={8}>
      <Typography variant="beta">{say(text)}</Typography>
      {canUndo ? (
        <Button variant="secondary" onClick={onUndo}>
          {say('undo')}
        </Button>
      ) : null}
    </Flex>
  );
}
