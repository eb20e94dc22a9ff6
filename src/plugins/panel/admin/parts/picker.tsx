/** An input that offers what is found for a text, all by keys: arrows, Enter, and Escape to leave it as it was. */
import { forwardRef, useEffect, useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Box, Field, TextInput } from '@strapi/design-system';
import { styled } from 'styled-components';

export interface Choice {
  readonly key: string;
  /** What the input says when it is chosen. */
  readonly text: string;
  readonly content: ReactNode;
}

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly hint?: string | undefined;
  /** What the input says while nobody types in it. */
  readonly chosen: string;
  /** What is offered for a text; asked again as it is typed. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  readonly onChoose: (key: string) => void;
  /** The input was emptied and left. */
  readonly onClear: () => void;
  readonly nothing: string;
}

/** Milliseconds after the last key. */
const PAUSE = 120;

const List = styled.ul`
  position: absolute;
  z-index: 4;
  left: 0;
  right: 0;
  max-height: 32rem;
  overflow-y: auto;
  margin: 2px 0 0;
  padding: 4px;
  background: ${({ theme }) => theme.colors.neutral0};
  border: 1px solid ${({ theme }) => theme.colors.neutral200};
  border-radius: 4px;
  box-shadow: ${({ theme }) => theme.shadows.popupShadow};
`;

const Option = styled.li<{ readonly $isActive: boolean }>`
  padding: 8px;
  border-radius: 4px;
  font-size: 1.4rem;
  cursor: pointer;
  color: ${({ theme }) => theme.colors.neutral800};
  background: ${({ theme, $isActive }) => ($isActive ? theme.colors.primary100 : 'transparent')};
`;

export const Picker = forwardRef<HTMLInputElement, Props>(function Picker(
  { label, placeholder, hint, chosen, find, onChoose, onClear, nothing },
  ref,
) {
  const list = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [found, setFound] = useState<readonly Choice[] | null>(null);
  const [active, setActive] = useState(0);
  const isOpen = typed !== null;

  useEffect(() => {
    if (typed === null) return undefined;
    const left = new AbortController();
    const timer = setTimeout(() => {
      find(typed, left.signal).then(
        (choices) => {
          if (left.signal.aborted) return;
          setFound(choices);
          setActive(0);
        },
        () => left.signal.aborted || setFound([]),
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [typed, find]);

  const close = (): void => {
    setTyped(null);
    setFound(null);
  };
  const choose = (choice: Choice | undefined): void => {
    if (!choice) return;
    onChoose(choice.key);
    close();
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isOpen) setTyped('');
      const count = found?.length ?? 0;
      if (count > 0) setActive((at) => (at + (key === 'ArrowDown' ? 1 : count - 1)) % count);
    } else if (key === 'Enter') {
      event.preventDefault();
      choose(found?.[active]);
      event.currentTarget.blur();
    } else if (key === 'Escape') {
      event.preventDefault();
      close();
      event.currentTarget.blur();
    }
  };
  const leave = (): void => {
    if (typed === '' && chosen !== '') onClear();
    close();
  };

  return (
    <Box position="relative">
      <Field.Root hint={hint}>
        <Field.Label>{label}</Field.Label>
        <TextInput
          ref={ref}
          role="combobox"
          autoComplete="off"
          aria-expanded={isOpen}
          aria-controls={list}
          aria-activedescendant={found?.[active] ? `${list}-${active}` : undefined}
          placeholder={placeholder}
          value={typed ?? chosen}
          onFocus={(event) => event.currentTarget.select()}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={onKey}
          onBlur={leave}
        />
        <Field.Hint />
      </Field.Root>
      {isOpen && found !== null ? (
        <List id={list} role="listbox" aria-label={label}>
          {found.map((choice, at) => (
            <Option
              key={choice.key}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === active}
              $isActive={at === active}
              // Before the input is left.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(choice);
              }}
              onMouseEnter={() => setActive(at)}
            >
              {choice.content}
            </Option>
          ))}
          {found.length === 0 ? <Option $isActive={false}>{nothing}</Option> : null}
        </List>
      ) : null}
    </Box>
  );
});
