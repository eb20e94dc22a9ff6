/** The form of a record with the fields that the site adds to it. It can be filled in, and keeps nothing. */
import { useState } from 'react';
import {
  Field,
  Flex,
  MultiSelect,
  MultiSelectOption,
  SingleSelect,
  SingleSelectOption,
  TextInput,
  Typography,
} from '@strapi/design-system';
import { EXTENSIBLE_TYPES } from '../../../objects/server/site/settings';
import { usePanelTexts } from '../parts/texts';
import type { FieldDefinition } from '../inputs/custom-fields-input';
import type { SettingsValues, TextIn } from './values';

interface Props {
  readonly values: SettingsValues;
  readonly textIn: TextIn;
}

export function FormPreview({ values, textIn }: Props) {
  const say = usePanelTexts('preview');
  const behaviors = values.behaviors ?? [];
  return (
    <Flex direction="column" alignItems="stretch" gap={5}>
      {EXTENSIBLE_TYPES.map((type) => {
        const fields = (values.customFields?.[type] ?? []).filter(({ retired }) => !retired);
        const hasBehaviors = type === 'encounter' && behaviors.length > 0;
        return (
          <Flex key={type} direction="column" alignItems="stretch" gap={3}>
            <Typography variant="epsilon" tag="h4">
              {say(`fields.${type}`)}
            </Typography>
            {hasBehaviors ? (
              <Choice label={say('fields.behaviors')} options={behaviors.map(alike)} isMultiple />
            ) : null}
            {categoriesOf(fields).map(([category, own]) => (
              <Flex key={category} direction="column" alignItems="stretch" gap={3}>
                {category === '' ? null : <Typography variant="sigma">{category}</Typography>}
                {own.map((field, at) => (
                  <Input key={at} field={field} textIn={textIn} />
                ))}
              </Flex>
            ))}
            {fields.length === 0 && !hasBehaviors ? (
              <Typography variant="pi" textColor="neutral600">
                {say('fields.none')}
              </Typography>
            ) : null}
          </Flex>
        );
      })}
    </Flex>
  );
}

const alike = (value: string) => ({ value, text: value });

/** Fields of one category together, in the order in which it first appears. */
function categoriesOf(
  fields: readonly FieldDefinition[],
): readonly (readonly [string, readonly FieldDefinition[]])[] {
  const categories = new Map<string, FieldDefinition[]>();
  for (const field of fields) {
    const name = field.category ?? '';
    categories.set(name, [...(categories.get(name) ?? []), field]);
  }
  return [...categories];
}

function Input({ field, textIn }: { readonly field: FieldDefinition; readonly textIn: TextIn }) {
  const say = usePanelTexts('preview');
  const about = {
    label: textIn(field.label) || (field.key ?? '–'),
    hint: textIn(field.description),
    required: field.required === true,
  };
  const options = (field.options ?? []).flatMap(({ value, label }) =>
    value ? [{ value, text: textIn(label) || value }] : [],
  );
  switch (field.type ?? 'string') {
    case 'boolean':
      return (
        <Choice {...about} options={['yes', 'no'].map((id) => ({ value: id, text: say(id) }))} />
      );
    case 'select':
      return <Choice {...about} options={options} />;
    case 'multiselect':
      return <Choice {...about} options={options} isMultiple />;
    case 'date':
      return <Typed {...about} type="date" />;
    case 'number':
    case 'integer':
      return <Typed {...about} type="number" />;
    default:
      return <Typed {...about} type="text" />;
  }
}

interface About {
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
}

function Typed({ label, type, ...about }: About & { readonly type: string }) {
  const [text, setText] = useState('');
  return (
    <Field.Root {...about}>
      <Field.Label>{label}</Field.Label>
      <TextInput
        type={type}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Field.Hint />
    </Field.Root>
  );
}

interface ChoiceProps extends About {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly isMultiple?: boolean;
}

function Choice({ label, options, isMultiple = false, ...about }: ChoiceProps) {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <Field.Root {...about}>
      <Field.Label>{label}</Field.Label>
      {isMultiple ? (
        <MultiSelect value={[...chosen]} onChange={setChosen} withTags>
          {options.map(({ value, text }) => (
            <MultiSelectOption key={value} value={value}>
              {text}
            </MultiSelectOption>
          ))}
        </MultiSelect>
      ) : (
        <SingleSelect value={chosen[0] ?? ''} onChange={(value) => setChosen([String(value)])}>
          {options.map(({ value, text }) => (
            <SingleSelectOption key={value} value={value}>
              {text}
            </SingleSelectOption>
          ))}
        </SingleSelect>
      )}
      <Field.Hint />
    </Field.Root>
  );
}
