import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Button, Field, Flex, Modal, Textarea, Typography } from '@strapi/design-system';
import { styled } from 'styled-components';
import { useSay } from './texts';
import type { CannedNote } from './types';

/** What the interface takes. */
const MAX_NOTE = 2000;

/** The keys 1 to 9 choose the first notes. */
const NUMBERED = 9;

interface RejectProps {
  readonly count: number;
  readonly notes: readonly CannedNote[];
  readonly onReject: (note: string | null) => void;
  readonly onClose: () => void;
}

/** Asks for the note of a rejection: one of the canned ones by its number, edited before it goes. */
export function RejectDialog({ count, notes, onReject, onClose }: RejectProps) {
  const say = useSay();
  const [note, setNote] = useState('');
  const input = useRef<HTMLTextAreaElement>(null);
  const send = (): void => onReject(note.trim() === '' ? null : note.trim());
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    }
    // A number chooses a note, as long as nothing is typed.
    const canned =
      note === '' && /^[1-9]$/.test(event.key) ? notes[Number(event.key) - 1] : undefined;
    if (!canned) return;
    event.preventDefault();
    setNote(canned.text);
    input.current?.focus();
  };
  return (
    <Modal.Root open onOpenChange={(isOpen: boolean) => isOpen || onClose()}>
      <Modal.Content onKeyDown={onKey}>
        <Modal.Header>
          <Modal.Title>{say('reject.title', { count })}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <Flex direction="column" alignItems="stretch" gap={3}>
            <Flex direction="column" alignItems="stretch" gap={1}>
              {notes.map(({ title, text }, at) => (
                <Button
                  key={at}
                  variant="tertiary"
                  justifyContent="flex-start"
                  onClick={() => setNote(text)}
                >
                  {at < NUMBERED ? `${at + 1} · ${title}` : title}
                </Button>
              ))}
            </Flex>
            <Field.Root hint={say('reject.hint')}>
              <Field.Label>{say('reject.note')}</Field.Label>
              <Textarea
                ref={input}
                maxLength={MAX_NOTE}
                value={note}
                onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
                  setNote(currentTarget.value)
                }
              />
              <Field.Hint />
            </Field.Root>
          </Flex>
        </Modal.Body>
        <Modal.Footer>
          <Button variant="tertiary" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button variant="danger" onClick={send}>
            {say('reject')}
          </Button>
        </Modal.Footer>
      </Modal.Content>
    </Modal.Root>
  );
}

const Key = styled.kbd`
  display: inline-block;
  min-width: 2.4rem;
  padding: 2px 6px;
  text-align: center;
  font-family: inherit;
  font-weight: 600;
  border-radius: 4px;
  border: 1px solid ${({ theme }) => theme.colors.neutral300};
  color: ${({ theme }) => theme.colors.neutral800};
  background: ${({ theme }) => theme.colors.neutral100};
`;

/** The keys, in the order of a decision. */
const KEYS = ['A', 'R', 'S', 'X', 'J', 'K', 'space', 'T', 'I', 'E', 'Z', '?'] as const;

export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const say = useSay();
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  return (
    <Modal.Root open onOpenChange={(isOpen: boolean) => isOpen || onClose()}>
      <Modal.Content>
        <Modal.Header>
          <Modal.Title>{say('help')}</Modal.Title>
        </Modal.Header>
        <Modal.Body>
          <Flex direction="column" alignItems="stretch" gap={2}>
            {KEYS.map((key) => (
              <Flex key={key} gap={3}>
                <Key>{key === 'space' ? say('key.space') : key}</Key>
                <Typography>{say(`help.${key === '?' ? 'help' : key}`)}</Typography>
              </Flex>
            ))}
            <Typography variant="pi" textColor="neutral600">
              {say('help.about')}
            </Typography>
          </Flex>
        </Modal.Body>
        <Modal.Footer>
          <Button ref={close} onClick={onClose}>
            {say('close')}
          </Button>
        </Modal.Footer>
      </Modal.Content>
    </Modal.Root>
  );
}
