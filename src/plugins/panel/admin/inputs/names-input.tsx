import { Box, Flex } from '@strapi/design-system';
import { useIntl } from 'react-intl';
import type { InputProps } from './records/form';
import { TextPart, TogglePart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

interface Name {
  readonly context: string | null;
  readonly value: string | null;
  readonly preferred: boolean;
}

/** The names of an animal, one below the other. */
export default function NamesInput(props: InputProps) {
  const intl = useIntl();
  const say = (id: string): string => intl.formatMessage({ id: `panel.names.${id}` });
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <Records<Name>
        name={name}
        disabled={disabled}
        add={say('add')}
        blank={(names) => ({ context: null, value: null, preferred: names.length === 0 })}
      >
        {(path) => (
          <Flex gap={2} alignItems="flex-start" flex="1">
            <Box flex="1">
              <TextPart
                name={`${path}.context`}
                label={say('context')}
                hint={say('context.hint')}
                disabled={disabled}
              />
            </Box>
            <Box flex="2">
              <TextPart name={`${path}.value`} label={say('value')} disabled={disabled} />
            </Box>
            <TogglePart name={`${path}.preferred`} label={say('preferred')} disabled={disabled} />
          </Flex>
        )}
      </Records>
    </Whole>
  );
}
