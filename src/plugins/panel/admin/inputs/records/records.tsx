/** A list whose entries are added, removed and moved. */
import { useState, type ReactNode } from 'react';
import { Box, Button, Flex, IconButton, Typography } from '@strapi/design-system';
import { ArrowDown, ArrowUp, ChevronDown, ChevronUp, Plus, Trash } from '@strapi/icons';
import { usePanelTexts } from '../../parts/texts';
import { RecordsTable, type RecordColumn } from './records-table';
import { unshownTexts, useFaults, usePart } from './form';

interface Props<T> {
  /** The path of the list in the form, in dots. */
  readonly name: string;
  readonly disabled: boolean;
  /** What the button that adds an entry says. */
  readonly add: string;
  /** What an added entry is. */
  readonly blank: (entries: readonly T[]) => T;
  /** What a closed entry shows; absent for entries that are always open, on one line. */
  readonly title?: (entry: T) => string;
  /** Shows the entries as a table that can be sorted, the title in front: its columns, the title's first. */
  readonly columns?: readonly RecordColumn<T>[];
  /** @param name the path of the entry */
  readonly children: (name: string, entry: T, at: number) => ReactNode;
}

export function Records<T>(props: Props<T>) {
  const { name, disabled, add, blank, title, columns, children } = props;
  const { value, change } = usePart<readonly T[]>(name);
  const { text, parts } = useFaults(name);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const entries: readonly T[] = Array.isArray(value) ? (value as readonly T[]) : [];

  const replace = (next: readonly T[], open: readonly number[] = []): void => {
    change(next);
    setOpened(new Set(open));
  };
  const swap = (at: number, other: number): void => {
    const next = [...entries];
    next[at] = entries[other] as T;
    next[other] = entries[at] as T;
    replace(next, opened.has(at) ? [other] : []);
  };
  const toggle = (at: number): void => {
    const next = new Set(opened);
    if (!next.delete(at)) next.add(at);
    setOpened(next);
  };

  const shown = entries.map((entry, at) => ({
    entry,
    isOpen: opened.has(at) || parts[at] !== undefined,
    onToggle: () => toggle(at),
    tools: (isInOwnOrder: boolean) =>
      disabled ? null : (
        <Tools
          onRemove={() => replace(entries.filter((_, other) => other !== at))}
          onUp={at === 0 || !isInOwnOrder ? null : () => swap(at, at - 1)}
          onDown={at === entries.length - 1 || !isInOwnOrder ? null : () => swap(at, at + 1)}
        />
      ),
    content: () => children(`${name}.${at}`, entry, at),
  }));

  return (
    <Flex direction="column" alignItems="stretch" gap={2}>
      {columns && shown.length > 0 ? (
        <RecordsTable columns={columns} rows={shown} />
      ) : (
        shown.map(({ entry, isOpen, onToggle, tools, content }, at) => (
          <Entry
            key={at}
            title={title?.(entry)}
            isOpen={isOpen}
            onToggle={onToggle}
            tools={tools(true)}
          >
            {content()}
          </Entry>
        ))
      )}
      <Faults
        texts={[...(text ? [text] : []), ...unshownTexts(parts, (part) => part in entries)]}
      />
      {disabled ? null : (
        <Flex>
          <Button
            variant="tertiary"
            startIcon={<Plus />}
            onClick={() => replace([...entries, blank(entries)], [...opened, entries.length])}
          >
            {add}
          </Button>
        </Flex>
      )}
    </Flex>
  );
}

/** What is wrong, where no input shows it. */
export const Faults = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => (
    <Typography key={text} variant="pi" textColor="danger600" data-strapi-field-error>
      {text}
    </Typography>
  ));

function Tools(props: {
  readonly onRemove: () => void;
  readonly onUp: (() => void) | null;
  readonly onDown: (() => void) | null;
}) {
  const say = usePanelTexts('list');
  const { onRemove, onUp, onDown } = props;
  return (
    <Flex gap={1}>
      <IconButton label={say('up')} disabled={!onUp} onClick={() => onUp?.()}>
        <ArrowUp />
      </IconButton>
      <IconButton label={say('down')} disabled={!onDown} onClick={() => onDown?.()}>
        <ArrowDown />
      </IconButton>
      <IconButton label={say('remove')} onClick={onRemove}>
        <Trash />
      </IconButton>
    </Flex>
  );
}

interface EntryProps {
  readonly title: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly tools: ReactNode;
  readonly children: ReactNode;
}

function Entry({ title, isOpen, onToggle, tools, children }: EntryProps) {
  if (title === undefined)
    return (
      <Flex gap={2} alignItems="flex-start">
        {children}
        {tools}
      </Flex>
    );
  return (
    <Box
      hasRadius
      borderColor="neutral200"
      padding={2}
      background={isOpen ? 'neutral100' : 'neutral0'}
    >
      <Flex gap={2} justifyContent="space-between">
        <Button
          variant="ghost"
          startIcon={isOpen ? <ChevronUp /> : <ChevronDown />}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          {title}
        </Button>
        {tools}
      </Flex>
      {isOpen ? (
        <Flex direction="column" alignItems="stretch" gap={4} padding={4}>
          {children}
        </Flex>
      ) : null}
    </Box>
  );
}
