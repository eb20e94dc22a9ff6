import { useState } from 'react';
import { Box, Field, Flex, TextInput } from '@strapi/design-system';
import { useIntl } from 'react-intl';
import { formatDecimal, parseDecimal, thousandsOf } from './decimal';
import { useFaults, usePart, type InputProps, type PartProps } from './records/form';
import { TextPart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

interface Measurement {
  readonly type: string | null;
  readonly value: number | string | null;
  readonly unit: string | null;
}

/** Measurements, one below the other. */
export default function MeasurementsInput(props: InputProps) {
  const intl = useIntl();
  const say = (id: string): string => intl.formatMessage({ id: `panel.measurements.${id}` });
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <Records<Measurement>
        name={name}
        disabled={disabled}
        add={say('add')}
        blank={() => ({ type: null, value: null, unit: null })}
      >
        {(path) => (
          <Flex gap={2} alignItems="flex-start" flex="1">
            <Box flex="2">
              <TextPart
                name={`${path}.type`}
                label={say('type')}
                hint={say('type.hint')}
                disabled={disabled}
              />
            </Box>
            <Box flex="1">
              <ValuePart name={`${path}.value`} label={say('value')} disabled={disabled} />
            </Box>
            <Box flex="1">
              <TextPart
                name={`${path}.unit`}
                label={say('unit')}
                hint={say('unit.hint')}
                disabled={disabled}
              />
            </Box>
          </Flex>
        )}
      </Records>
    </Whole>
  );
}

/** A number, with either decimal sign, or a text: what is not surely a number stays as it was typed. */
function ValuePart({ name, label, disabled = false }: PartProps) {
  const { locale } = useIntl();
  const { value, change } = usePart<number | string>(name);
  const { text: fault } = useFaults(name);
  const [typed, setTyped] = useState('');

  const valueOf = (text: string): number | string | null => {
    const parsed = parseDecimal(text, thousandsOf(locale));
    return 'fault' in parsed ? text : parsed.value;
  };
  const shown = typeof value === 'number' ? formatDecimal(value, locale) : (value ?? '');

  return (
    <Field.Root name={name} error={fault}>
      <Field.Label>{label}</Field.Label>
      <TextInput
        name={name}
        autoComplete="off"
        disabled={disabled}
        // While a number is typed, as it is typed: its last zeros are no part of the value.
        value={typed !== '' && valueOf(typed) === value ? typed : shown}
        onChange={({ currentTarget }: { currentTarget: { value: string } }) => {
          setTyped(currentTarget.value);
          change(valueOf(currentTarget.value));
        }}
        onBlur={() => setTyped('')}
      />
      <Field.Error />
    </Field.Root>
  );
}
