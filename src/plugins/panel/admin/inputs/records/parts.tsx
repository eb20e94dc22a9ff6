/** Inputs of single values within a record. */
import {
  Field,
  SingleSelect,
  SingleSelectOption,
  Textarea,
  TextInput,
  Toggle,
} from '@strapi/design-system';
import { useIntl } from 'react-intl';
import { useFaults, usePart, type PartProps } from './form';

export function TextPart({
  name,
  label,
  hint,
  disabled = false,
  isLong = false,
  spoken,
}: PartProps & {
  readonly isLong?: boolean;
  /** What it is called where it has no label. */
  readonly spoken?: string;
}) {
  const { value, change } = usePart<string>(name);
  const { text } = useFaults(name);
  const Input = isLong ? Textarea : TextInput;
  return (
    <Field.Root name={name} hint={hint} error={text} flex="1">
      {label === undefined ? null : <Field.Label>{label}</Field.Label>}
      <Input
        name={name}
        aria-label={spoken}
        autoComplete="off"
        disabled={disabled}
        value={value ?? ''}
        onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
          change(currentTarget.value === '' ? null : currentTarget.value)
        }
      />
      <Field.Hint />
      <Field.Error />
    </Field.Root>
  );
}

export function TogglePart({ name, label, hint, disabled = false }: PartProps) {
  const intl = useIntl();
  const { value, change } = usePart<boolean>(name);
  const { text } = useFaults(name);
  const say = (id: string, defaultMessage: string) => intl.formatMessage({ id, defaultMessage });
  return (
    <Field.Root name={name} hint={hint} error={text} flex="1">
      <Field.Label>{label}</Field.Label>
      <Toggle
        name={name}
        checked={value === true}
        disabled={disabled}
        onLabel={say('app.components.ToggleCheckbox.on-label', 'True')}
        offLabel={say('app.components.ToggleCheckbox.off-label', 'False')}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      <Field.Hint />
      <Field.Error />
    </Field.Root>
  );
}

interface SelectProps extends PartProps {
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** Whether it may be empty. */
  readonly isOptional?: boolean;
  readonly onChosen?: (value: string | null) => void;
}

export function SelectPart({
  name,
  label,
  hint,
  options,
  disabled = false,
  isOptional = false,
  onChosen,
}: SelectProps) {
  const { value, change } = usePart<string>(name);
  const { text } = useFaults(name);
  const choose = (chosen: string | null): void => {
    change(chosen);
    onChosen?.(chosen);
  };
  return (
    <Field.Root name={name} hint={hint} error={text} flex="1">
      <Field.Label>{label}</Field.Label>
      <SingleSelect
        value={value ?? ''}
        disabled={disabled}
        onChange={(chosen) => choose(String(chosen))}
        {...(isOptional ? { onClear: () => choose(null) } : {})}
      >
        {options.map((option) => (
          <SingleSelectOption key={option.value} value={option.value}>
            {option.text}
          </SingleSelectOption>
        ))}
      </SingleSelect>
      <Field.Hint />
      <Field.Error />
    </Field.Root>
  );
}
