import { usePanelTexts } from '../parts/texts';
import type { InputProps } from './records/form';
import { LocalizedPart, type LocalizedTexts } from './records/localized-part';
import { Records } from './records/records';
import { Whole } from './whole';

interface Note {
  readonly title: LocalizedTexts | null;
  readonly text: LocalizedTexts | null;
}

/** The notes that are offered for a rejection, in the order of their keys. */
export default function NotesInput(props: InputProps) {
  const say = usePanelTexts('notes');
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <Records<Note>
        name={name}
        disabled={disabled}
        add={say('add')}
        blank={() => ({ title: {}, text: {} })}
        title={({ title }) => Object.values(title ?? {})[0] ?? say('new')}
      >
        {(path) => (
          <>
            <LocalizedPart name={`${path}.title`} label={say('title')} disabled={disabled} />
            <LocalizedPart name={`${path}.text`} label={say('text')} disabled={disabled} isLong />
          </>
        )}
      </Records>
    </Whole>
  );
}
