import { useEffect, useRef } from 'react';
import { useIntl } from 'react-intl';
import { Badge, Box, Button, Checkbox, Flex, Searchbar, Typography } from '@strapi/design-system';
import { styled } from 'styled-components';
import { usePicture } from '../../parts/pictures';
import { ageText } from '../../parts/texts';
import { taxonText, useSay } from './texts';
import type { Encounter } from './types';
import type { Queue } from './use-queue';

const Row = styled.button<{ readonly $isCurrent: boolean }>`
  display: flex;
  gap: 8px;
  width: 100%;
  padding: 8px;
  text-align: start;
  border: 0;
  border-inline-start: 3px solid
    ${({ theme, $isCurrent }) => ($isCurrent ? theme.colors.primary600 : 'transparent')};
  cursor: pointer;
  color: ${({ theme }) => theme.colors.neutral800};
  background: ${({ theme, $isCurrent }) => ($isCurrent ? theme.colors.primary100 : 'transparent')};
  &:focus-visible {
    outline: 2px solid ${({ theme }) => theme.colors.primary600};
    outline-offset: -2px;
  }
`;

const Thumbnail = styled.span`
  flex: 0 0 56px;
  height: 56px;
  border-radius: 4px;
  overflow: hidden;
  background: ${({ theme }) => theme.colors.neutral150};
  img {
    width: 100%;
    height: 100%;
    object-fit: cover;
  }
`;

interface Props {
  readonly queue: Queue;
  readonly current: string | null;
  readonly selected: ReadonlySet<string>;
  readonly q: string;
  readonly isMarkedOnly: boolean;
  /** Whose records alone are shown. */
  readonly author: string | null;
  readonly onFilter: (changes: Readonly<Record<string, string | null>>) => void;
  readonly onOpen: (id: string) => void;
  readonly onHelp: () => void;
}

/** What waits, the oldest first. */
export function QueueList({
  queue,
  current,
  selected,
  q,
  isMarkedOnly,
  author,
  onFilter,
  onOpen,
  onHelp,
}: Props) {
  const say = useSay();
  const { records, total, isTotalExact } = queue;
  return (
    <Flex direction="column" alignItems="stretch" height="100%" background="neutral0">
      <Flex direction="column" alignItems="stretch" gap={2} padding={3}>
        <Flex justifyContent="space-between">
          <Typography variant="beta" tag="h1">
            {say('title')}
          </Typography>
          <Button size="S" variant="tertiary" aria-label={say('help')} onClick={onHelp}>
            ?
          </Button>
        </Flex>
        <Typography variant="pi" textColor="neutral600" aria-live="polite">
          {total === null
            ? say('loading')
            : say(isTotalExact ? 'waiting' : 'waitingMany', { count: total })}
        </Typography>
        <Searchbar
          name="q"
          size="S"
          value={q}
          placeholder={say('search')}
          clearLabel={say('search.clear')}
          onClear={() => onFilter({ q: null })}
          onChange={({ target }: { target: { value: string } }) => onFilter({ q: target.value })}
        >
          {say('search')}
        </Searchbar>
        <Checkbox
          checked={isMarkedOnly}
          onCheckedChange={(isOn: boolean | 'indeterminate') =>
            onFilter({ second: isOn === true ? '1' : null })
          }
        >
          <Typography variant="pi">{say('secondLooks', { count: queue.marked.size })}</Typography>
        </Checkbox>
        {author === null ? null : (
          <Checkbox checked onCheckedChange={() => onFilter({ owner: null })}>
            <Typography variant="pi">{author}</Typography>
          </Checkbox>
        )}
      </Flex>
      <Box flex="1" overflow="auto" tag="ul" aria-label={say('queue')}>
        {records.map((record) => (
          <li key={record.id}>
            <Entry
              record={record}
              queue={queue}
              isCurrent={record.id === current}
              isSelected={selected.has(record.id)}
              onOpen={onOpen}
            />
          </li>
        ))}
      </Box>
    </Flex>
  );
}

function Entry({
  record,
  queue: { included, marked },
  isCurrent,
  isSelected,
  onOpen,
}: {
  readonly record: Encounter;
  readonly queue: Queue;
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly onOpen: (id: string) => void;
}) {
  const say = useSay();
  const { locale } = useIntl();
  const row = useRef<HTMLButtonElement>(null);
  const { address } = usePicture(record.assets[0] ?? null, 'thumbnail');
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const taxon = taxonText(included.taxonomy?.[record.taxonomy ?? ''], locale);
  const author = included.user?.[record.owner ?? '']?.display_name ?? say('anonymous');
  return (
    <Row
      ref={row}
      type="button"
      $isCurrent={isCurrent}
      aria-current={isCurrent}
      onClick={() => onOpen(record.id)}
    >
      <Thumbnail>{address === null ? null : <img src={address} alt="" />}</Thumbnail>
      <Flex direction="column" alignItems="stretch" gap={1} flex="1" minWidth={0}>
        <Typography fontWeight="semiBold" ellipsis>
          {taxon ?? say('noTaxon')}
        </Typography>
        <Typography variant="pi" textColor="neutral600" ellipsis>
          {author}
        </Typography>
        <Typography variant="pi" textColor="neutral600" ellipsis>
          {ageText(record.created_at, Date.now(), locale)}
        </Typography>
        <Flex gap={1} wrap="wrap">
          {isSelected ? <Badge active>{say('selected')}</Badge> : null}
          {marked.has(record.id) ? <Badge>{say('secondLook')}</Badge> : null}
        </Flex>
      </Flex>
    </Row>
  );
}
