import { Flex, Grid, Typography } from '@strapi/design-system';
import {
  CUSTOM_FIELD_TYPES,
  EXTENSIBLE_TYPES,
  hasOptions,
  isClassValue,
} from '../../../objects/server/site/settings';
import { usePanelTexts } from '../parts/texts';
import { usePart, type InputProps } from './records/form';
import { LocalizedPart, type LocalizedTexts } from './records/localized-part';
import { SelectPart, TextPart, TogglePart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

interface Option {
  readonly value: string | null;
  readonly label?: LocalizedTexts | null;
}

/** A field as the form holds it; the server fills what is absent. */
export interface FieldDefinition {
  readonly key: string | null;
  readonly type: string | null;
  readonly label?: LocalizedTexts | null;
  readonly description?: LocalizedTexts | null;
  readonly category?: string | null;
  readonly options?: readonly Option[];
  readonly required?: boolean;
  readonly retired?: boolean;
  readonly public_when_obscured?: boolean;
}

/** What is true of a field or not, as a table says it. */
const STATES = ['required', 'public_when_obscured', 'retired'] as const;

const blank = (): FieldDefinition => ({ key: null, type: 'string' });

/** The fields that the instance adds to its types. */
export default function CustomFieldsInput(props: InputProps) {
  const say = usePanelTexts('custom-fields');
  const { name, disabled = false } = props;
  const titleOf = ({ key, label }: FieldDefinition): string =>
    Object.values(label ?? {})[0] || key || say('new');
  const stateOf = (definition: FieldDefinition): string =>
    STATES.filter((name) => definition[name] === true)
      .map((name) => say(name))
      .join(', ');
  return (
    <Whole {...props}>
      <Flex direction="column" alignItems="stretch" gap={4}>
        {EXTENSIBLE_TYPES.map((object) => (
          <Flex key={object} direction="column" alignItems="stretch" gap={2}>
            <Typography variant="sigma">{say(`of.${object}`)}</Typography>
            <Records<FieldDefinition>
              name={`${name}.${object}`}
              disabled={disabled}
              add={say(`add.${object}`)}
              blank={blank}
              columns={[
                { label: say('label'), text: titleOf },
                { label: say('key'), text: ({ key }) => key ?? '' },
                { label: say('type'), text: ({ type }) => (type ? say(`type.${type}`) : '') },
                { label: say('category'), text: ({ category }) => category ?? '' },
                { label: say('state'), text: stateOf },
              ]}
            >
              {(path, definition) => (
                <DefinitionParts path={path} definition={definition} disabled={disabled} />
              )}
            </Records>
          </Flex>
        ))}
      </Flex>
    </Whole>
  );
}

interface PartsProps {
  readonly path: string;
  readonly definition: FieldDefinition;
  readonly disabled: boolean;
}

function DefinitionParts({ path, definition, disabled }: PartsProps) {
  const say = usePanelTexts('custom-fields');
  const { change: changeOptions } = usePart<readonly Option[]>(`${path}.options`);
  const part = (name: string) => ({
    name: `${path}.${name}`,
    label: say(name),
    disabled,
  });
  // What is told of hidden records is offered where it may be; it can be taken back anywhere.
  const isTellable = isClassValue(definition.type) || definition.public_when_obscured === true;
  const toggles = ['required', ...(isTellable ? ['public_when_obscured'] : []), 'retired'];
  return (
    <>
      <Grid.Root gap={4}>
        <Grid.Item col={4} s={12} direction="column" alignItems="stretch">
          <TextPart {...part('key')} hint={say('key.hint')} />
        </Grid.Item>
        <Grid.Item col={4} s={12} direction="column" alignItems="stretch">
          <SelectPart
            {...part('type')}
            options={CUSTOM_FIELD_TYPES.map((value) => ({ value, text: say(`type.${value}`) }))}
            onChosen={(type) => {
              if (!hasOptions(type)) changeOptions([]);
            }}
          />
        </Grid.Item>
        <Grid.Item col={4} s={12} direction="column" alignItems="stretch">
          <TextPart {...part('category')} hint={say('category.hint')} />
        </Grid.Item>
      </Grid.Root>
      <LocalizedPart {...part('label')} />
      <LocalizedPart {...part('description')} isLong />
      {hasOptions(definition.type) ? (
        <Flex direction="column" alignItems="stretch" gap={2}>
          <Typography variant="pi" fontWeight="bold">
            {say('options')}
          </Typography>
          <Records<Option>
            name={`${path}.options`}
            disabled={disabled}
            add={say('options.add')}
            blank={() => ({ value: null })}
            title={({ value, label }) =>
              [Object.values(label ?? {})[0], value].filter(Boolean).join(' · ') ||
              say('options.new')
            }
          >
            {(option) => (
              <>
                <TextPart
                  name={`${option}.value`}
                  label={say('options.value')}
                  disabled={disabled}
                />
                <LocalizedPart name={`${option}.label`} label={say('label')} disabled={disabled} />
              </>
            )}
          </Records>
        </Flex>
      ) : null}
      <Grid.Root gap={4}>
        {toggles.map((name) => (
          <Grid.Item key={name} col={4} s={12} direction="column" alignItems="stretch">
            <TogglePart {...part(name)} hint={say(`${name}.hint`)} />
          </Grid.Item>
        ))}
      </Grid.Root>
    </>
  );
}
