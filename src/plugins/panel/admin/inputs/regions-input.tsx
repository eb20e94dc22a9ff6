import { Grid } from '@strapi/design-system';
import { useIntl } from 'react-intl';
import { usePanelTexts } from '../parts/texts';
import { NumberInput } from './number-input';
import { usePart, type InputProps } from './records/form';
import { LocalizedPart, type LocalizedTexts } from './records/localized-part';
import { SelectPart, TextPart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

/** A region as the form holds it; the server fills what is absent. */
export interface RegionValues {
  readonly id: string | null;
  readonly name: LocalizedTexts | null;
  readonly parent?: string | null;
  readonly bbox?: readonly unknown[] | null;
}

/** The order of a bounding box (RFC 7946, section 5). */
const SIDES = ['west', 'south', 'east', 'north'];

/** The regions of the instance. */
export default function RegionsInput(props: InputProps) {
  const { locale } = useIntl();
  const say = usePanelTexts('regions');
  const { name, disabled = false } = props;
  const { value } = usePart<readonly RegionValues[]>(name);
  const all = value ?? [];
  const titleOf = ({ id, name: names }: RegionValues): string =>
    [Object.values(names ?? {})[0], id].filter(Boolean).join(' · ') || say('new');
  const namesOf = (parent: string | null | undefined): string => {
    const found = all.find(({ id }) => id === parent);
    return found ? titleOf(found) : (parent ?? '');
  };
  const parentsOf = (at: number) =>
    all.flatMap((region, other) =>
      region.id === null || other === at ? [] : { value: region.id, text: titleOf(region) },
    );
  return (
    <Whole {...props}>
      <Records<RegionValues>
        name={name}
        disabled={disabled}
        add={say('add')}
        blank={() => ({ id: null, name: {} })}
        columns={[
          { label: say('name'), text: titleOf },
          { label: say('id'), text: ({ id }) => id ?? '' },
          { label: say('parent'), text: ({ parent }) => namesOf(parent) },
          { label: say('box'), text: ({ bbox }) => boxText(bbox, locale) },
        ]}
      >
        {(path, _, at) => (
          <>
            <Grid.Root gap={4}>
              <Grid.Item col={6} s={12} direction="column" alignItems="stretch">
                <TextPart
                  name={`${path}.id`}
                  label={say('id')}
                  hint={say('id.hint')}
                  disabled={disabled}
                />
              </Grid.Item>
              <Grid.Item col={6} s={12} direction="column" alignItems="stretch">
                <SelectPart
                  name={`${path}.parent`}
                  label={say('parent')}
                  options={parentsOf(at)}
                  disabled={disabled}
                  isOptional
                />
              </Grid.Item>
            </Grid.Root>
            <LocalizedPart name={`${path}.name`} label={say('name')} disabled={disabled} />
            <Sides path={`${path}.bbox`} disabled={disabled} />
          </>
        )}
      </Records>
    </Whole>
  );
}

/** The sides of a box in degrees, west first; empty without one. */
function boxText(bbox: RegionValues['bbox'], language: string): string {
  const sides = (bbox ?? []).filter((side) => side !== null && side !== '');
  const texts = sides.map((side) =>
    typeof side === 'number' ? side.toLocaleString(language, { maximumFractionDigits: 7 }) : side,
  );
  return texts.join(' / ');
}

function Sides({ path, disabled }: { readonly path: string; readonly disabled: boolean }) {
  const say = usePanelTexts('regions');
  return (
    <Grid.Root gap={4}>
      {SIDES.map((side, at) => (
        <Grid.Item key={side} col={3} s={6} direction="column" alignItems="stretch">
          <NumberInput name={`${path}.${at}`} label={say(side)} disabled={disabled} />
        </Grid.Item>
      ))}
    </Grid.Root>
  );
}
