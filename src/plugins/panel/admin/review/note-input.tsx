import { Field, Textarea } from '@strapi/design-system';
import { usePanelTexts } from '../parts/texts';

/** The note of a review. */
export function NoteInput({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const say = usePanelTexts('review');
  return (
    <Field.Root hint={say('note.hint')} width="100%">
      <Field.Label>{say('note')}</Field.Label>
      <Textarea
        maxLength={2000}
        value={value}
        onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
          onChange(currentTarget.value)
        }
      />
      <Field.Hint />
    </Field.Root>
  );
}
