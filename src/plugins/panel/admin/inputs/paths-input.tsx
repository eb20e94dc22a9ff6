import { useIntl } from 'react-intl';
import type { InputProps } from './records/form';
import { PairsPart } from './records/pairs-part';
import { Whole } from './whole';

/** Paths of assets by names. */
export default function PathsInput(props: InputProps) {
  const intl = useIntl();
  const say = (id: string): string => intl.formatMessage({ id: `panel.paths.${id}` });
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <PairsPart
        name={name}
        disabled={disabled}
        words={{
          key: say('name'),
          text: say('path'),
          placeholder: say('placeholder'),
          remove: say('remove'),
          add: say('add'),
        }}
      />
    </Whole>
  );
}
