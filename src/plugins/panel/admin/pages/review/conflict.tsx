import { useIntl } from 'react-intl';
import { Box, Button, Flex, Typography } from '@strapi/design-system';
import { styled } from 'styled-components';
import type { Moved } from './steps';
import { PlainTable } from '../../parts/plain-table';
import type { Translate } from '../../parts/texts';
import { individualText, taxonText, useSay } from './texts';
import type { IncludedRecords } from './types';

const Table = styled(PlainTable)`
  font-size: 1.2rem;
`;

interface Props {
  readonly moved: readonly Moved[];
  readonly included: IncludedRecords;
  /** Goes on with what they have written in a field. */
  readonly onTakeTheirs: (name: Moved['name']) => void;
  /** Goes on from the present state, with what was typed. */
  readonly onGoOn: () => void;
}

/** What somebody else has changed since this record was opened, beside what was typed. */
export function Conflict({ moved, included, onTakeTheirs, onGoOn }: Props) {
  const say = useSay();
  const { locale } = useIntl();
  const text = (name: Moved['name'], value: unknown): string =>
    valueText(name, value, included, locale, say);
  return (
    <Box role="alert" background="warning100" borderColor="warning200" hasRadius padding={3}>
      <Flex direction="column" alignItems="stretch" gap={2}>
        <Typography fontWeight="bold">{say('conflict')}</Typography>
        <Table>
          <thead>
            <tr>
              <th scope="col">{say('conflict.field')}</th>
              <th scope="col">{say('conflict.before')}</th>
              <th scope="col">{say('conflict.now')}</th>
              <th scope="col">{say('conflict.typed')}</th>
            </tr>
          </thead>
          <tbody>
            {moved.map(({ name, before, now, typed }) => (
              <tr key={name}>
                <th scope="row">{say(`field.${name}`)}</th>
                <td>{text(name, before)}</td>
                <td>{text(name, now)}</td>
                <td>
                  {typed === undefined ? '–' : text(name, typed)}
                  {typed === undefined ? null : (
                    <Button variant="tertiary" size="S" onClick={() => onTakeTheirs(name)}>
                      {say('conflict.theirs')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
        <Flex>
          <Button size="S" variant="secondary" onClick={onGoOn}>
            {say('conflict.goOn')}
          </Button>
        </Flex>
      </Flex>
    </Box>
  );
}

function valueText(
  name: Moved['name'],
  value: unknown,
  included: IncludedRecords,
  language: string,
  say: Translate,
): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number')
    return value.toLocaleString(language, { maximumFractionDigits: 7 });
  const id = typeof value === 'string' ? value : JSON.stringify(value);
  if (name === 'taxonomy') return taxonText(included.taxonomy?.[id], language) ?? id;
  if (name === 'individual') return individualText(included.individual?.[id]) ?? id;
  if (name === 'owner') return included.user?.[id]?.display_name ?? id;
  if (name === 'state') return say(`state.${id}`);
  return id;
}
