import { forwardRef, useState, type ClipboardEvent, type ReactNode } from 'react';
import { Field, TextInput, useComposedRefs } from '@strapi/design-system';
import { useField, useFocusInputField } from '@strapi/strapi/admin';
import { useIntl } from 'react-intl';
import {
  formatDecimal,
  isBeginning,
  parseDecimal,
  parsePair,
  thousandsOf,
  type Parsed,
} from './decimal';

/** What the edit form gives to each of its inputs, as far as it is used here. */
interface Props {
  readonly name: string;
  readonly label?: ReactNode;
  readonly labelAction?: ReactNode;
  readonly hint?: ReactNode;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
}

/** The two fields that a position fills, in the component or document of one of them. */
function positionOf(name: string): readonly [latitude: string, longitude: string] | null {
  const [, path = '', last] = /^(.*\.)?(latitude|longitude)$/.exec(name) ?? [];
  return last === undefined ? null : [`${path}latitude`, `${path}longitude`];
}

/**
 * The input of numbers. It replaces Strapi's, which silently drops a decimal sign of another language: `1.5` became 15
 * in an integer. The form holds a number, null, or the invalid text, with which it cannot be saved. The server checks
 * that an integer is whole.
 */
export const NumberInput = forwardRef<HTMLInputElement, Props>(function NumberInput(
  { name, label, labelAction, hint, placeholder, required = false, disabled = false },
  ref,
) {
  const intl = useIntl();
  const { value, error, onChange } = useField<number | string | null>(name);
  const refs = useComposedRefs(ref, useFocusInputField<HTMLInputElement>(name));
  const [typed, setTyped] = useState('');

  // Degrees have no thousands.
  const parse = (text: string): Parsed =>
    parseDecimal(text, positionOf(name) ? null : thousandsOf(intl.locale));
  const current = value ?? null;
  const held = typeof current === 'string' ? current : null;
  const written = held ?? (isTyped(parse(typed), current) ? typed : shown(current, intl.locale));
  const parsed = held === null ? { value: current } : parse(held);
  const fault = 'fault' in parsed && (error !== undefined || !isBeginning(written)) && parsed.fault;

  function change(text: string): void {
    const next = parse(text);
    setTyped(text);
    onChange(name, 'fault' in next ? text : next.value);
  }

  /** Whether the text was a position, which is now in both of its fields. */
  function fillPosition(text: string): boolean {
    const names = positionOf(name);
    const pair = names && parsePair(text);
    if (!pair) return false;
    names.forEach((field, index) => onChange(field, pair[index]));
    return true;
  }

  return (
    <Field.Root
      name={name}
      hint={hint}
      required={required}
      error={fault ? intl.formatMessage({ id: `panel.number.${fault}` }) : error}
    >
      <Field.Label action={labelAction}>{label}</Field.Label>
      <TextInput
        ref={refs}
        type="text"
        autoComplete="off"
        placeholder={placeholder}
        disabled={disabled}
        value={written}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onPaste={(event: ClipboardEvent<HTMLInputElement>) => {
          if (fillPosition(event.clipboardData.getData('text'))) event.preventDefault();
        }}
        onBlur={() => {
          // What has been typed and not pasted; of a number, how it is taken.
          if (!fillPosition(written)) setTyped('');
        }}
      />
      <Field.Hint />
      <Field.Error />
    </Field.Root>
  );
});

/** Whether what has been typed is what the form holds. */
const isTyped = (parsed: Parsed, value: unknown): boolean =>
  'value' in parsed && parsed.value === value;

const shown = (value: unknown, locale: string): string =>
  typeof value === 'number' ? formatDecimal(value, locale) : '';
