import type { InputProps } from './records/form';
import { LocalizedPart } from './records/localized-part';
import { Whole } from './whole';

/** Texts that are as long as a paragraph. */
const LONG = new Set(['description', 'announcement']);

export default function LocalizedInput(props: InputProps) {
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <LocalizedPart name={name} disabled={disabled} isLong={LONG.has(name)} />
    </Whole>
  );
}
