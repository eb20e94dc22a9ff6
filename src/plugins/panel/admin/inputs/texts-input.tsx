import { usePanelTexts } from '../parts/texts';
import type { InputProps } from './records/form';
import { TextPart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

/** A list of texts, one below the other. */
export default function TextsInput(props: InputProps) {
  const say = usePanelTexts('list');
  const { name, disabled = false } = props;
  const label = typeof props.label === 'string' ? props.label : '';
  return (
    <Whole {...props}>
      <Records<string> name={name} disabled={disabled} add={say('add')} blank={() => ''}>
        {(path, _, at) => (
          <TextPart name={path} spoken={`${label} ${at + 1}`} disabled={disabled} />
        )}
      </Records>
    </Whole>
  );
}
