/** A list as a table: a row for each entry, which opens below it. It is shown in another order without being changed. */
import { useState, type ReactNode } from 'react';
import { Box, Button, Flex, Typography } from '@strapi/design-system';
import { CaretDown, CaretUp, ChevronDown, ChevronUp } from '@strapi/icons';
import { useIntl } from 'react-intl';
import { styled } from 'styled-components';
import { PlainTable } from '../../parts/plain-table';
import { usePanelTexts } from '../../parts/texts';

export interface RecordColumn<T> {
  readonly label: string;
  readonly text: (entry: T) => string;
}

interface Row<T> {
  readonly entry: T;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** @param isInOwnOrder whether the table is not sorted, so that a row can be moved */
  readonly tools: (isInOwnOrder: boolean) => ReactNode;
  readonly content: () => ReactNode;
}

interface Props<T> {
  readonly columns: readonly RecordColumn<T>[];
  readonly rows: readonly Row<T>[];
}

interface Sorting {
  readonly column: number;
  readonly isDescending: boolean;
  /** The places of the entries when it was sorted: a row does not move while it is written in. */
  readonly order: readonly number[];
}

const Table = styled(PlainTable)`
  tbody td {
    vertical-align: middle;
    border-top: 1px solid ${({ theme }) => theme.colors.neutral200};
  }
  /* Below the text of the button above it. */
  tbody td:not(:first-child, :last-child) {
    padding-inline-start: 1.6rem;
  }
`;

export function RecordsTable<T>({ columns, rows }: Props<T>) {
  const intl = useIntl();
  const say = usePanelTexts('list');
  const [sorted, setSorted] = useState<Sorting | null>(null);
  // What is added or removed shows the list in its own order again.
  const sorting = sorted?.order.length === rows.length ? sorted : null;
  const places = sorting?.order ?? rows.map((_, at) => at);

  /** Ascending, then descending, then in the list's own order. */
  const sortBy = (column: number): void => {
    const isSame = sorting?.column === column;
    if (isSame && sorting.isDescending) return setSorted(null);
    const isDescending = isSame;
    const { compare } = new Intl.Collator(intl.locale, { numeric: true });
    const texts = rows.map(({ entry }) => columns[column]?.text(entry) ?? '');
    const order = texts
      .map((text, at) => ({ text, at }))
      .sort((one, other) => (isDescending ? -1 : 1) * compare(one.text, other.text))
      .map(({ at }) => at);
    return setSorted({ column, isDescending, order });
  };

  return (
    <Table>
      <thead>
        <tr>
          {columns.map(({ label }, at) => {
            const direction = sorting?.column === at ? directionOf(sorting) : undefined;
            return (
              <th key={label} scope="col" aria-sort={direction ?? 'none'}>
                <Button
                  variant="ghost"
                  size="S"
                  endIcon={direction === 'descending' ? <CaretDown /> : direction && <CaretUp />}
                  onClick={() => sortBy(at)}
                >
                  {label}
                </Button>
              </th>
            );
          })}
          <td />
        </tr>
      </thead>
      <tbody>
        {places.map((at) => {
          const row = rows[at];
          return row ? (
            <TableRow key={at} columns={columns} row={row} isSorted={sorting !== null} />
          ) : null;
        })}
      </tbody>
      {sorting === null ? null : (
        <caption style={{ captionSide: 'bottom', textAlign: 'start' }}>
          <Typography variant="pi" textColor="neutral600">
            {say('sorted')}
          </Typography>
        </caption>
      )}
    </Table>
  );
}

const directionOf = ({ isDescending }: Sorting): 'ascending' | 'descending' =>
  isDescending ? 'descending' : 'ascending';

function TableRow<T>({
  columns,
  row,
  isSorted,
}: {
  readonly columns: Props<T>['columns'];
  readonly row: Row<T>;
  readonly isSorted: boolean;
}) {
  return (
    <>
      <tr>
        {columns.map(({ label, text }, column) => (
          <td key={label}>
            {column === 0 ? (
              <Button
                variant="ghost"
                startIcon={row.isOpen ? <ChevronUp /> : <ChevronDown />}
                aria-expanded={row.isOpen}
                onClick={row.onToggle}
              >
                {text(row.entry)}
              </Button>
            ) : (
              <Typography>{text(row.entry)}</Typography>
            )}
          </td>
        ))}
        <td>
          <Flex justifyContent="flex-end">{row.tools(!isSorted)}</Flex>
        </td>
      </tr>
      {row.isOpen ? (
        <tr>
          <td colSpan={columns.length + 1}>
            <Box background="neutral100" padding={4} hasRadius>
              <Flex direction="column" alignItems="stretch" gap={4}>
                {row.content()}
              </Flex>
            </Box>
          </td>
        </tr>
      ) : null}
    </>
  );
}
