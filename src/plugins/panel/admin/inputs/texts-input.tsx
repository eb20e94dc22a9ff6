import { useIntl } from 'react-intl';
import type { InputProps } from './records/form';
import { TextPart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

/** A list of texts, one below the other. */
export default function TextsInput(props: InputProps) {
  const intl = useIntl();
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <Records<string>
        name={name}
        disabled={disabled}
        add={intl.formatMessage({ id: 'panel.list.add' })}
        blank={() => ''}
      >
        {(path) => <TextPart name={path} disabled={disabled} />}
      </Records>
    </Whole>
  );
}
