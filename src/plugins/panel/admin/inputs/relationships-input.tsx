import { useState } from 'react';
import { Box, Combobox, ComboboxOption, Field, Flex, Typography } from '@strapi/design-system';
import { useIntl } from 'react-intl';
import { useIndividualsQuery, type OfferedIndividual } from './individuals';
import { useFaults, usePart, type InputProps, type PartProps } from './records/form';
import { SelectPart } from './records/parts';
import { Records } from './records/records';
import { Whole } from './whole';

/** What another animal is to this one; its name is for the eye alone. */
interface Relationship {
  readonly individual: string | null;
  readonly type: string | null;
  readonly name?: string | null;
}

const TYPES = ['mother', 'father', 'offspring', 'sibling', 'mate', 'associate'];

/** What other animals are to this one, one below the other. */
export default function RelationshipsInput(props: InputProps) {
  const say = useTexts();
  const { name, disabled = false } = props;
  return (
    <Whole {...props}>
      <Records<Relationship>
        name={name}
        disabled={disabled}
        add={say('add')}
        blank={() => ({ individual: null, type: null })}
      >
        {(path) => (
          <Flex gap={2} alignItems="flex-start" flex="1">
            <Box flex="1">
              <SelectPart
                name={`${path}.type`}
                label={say('type')}
                disabled={disabled}
                options={TYPES.map((value) => ({ value, text: say(`type.${value}`) }))}
              />
            </Box>
            <Box flex="2">
              <IndividualPart name={path} label={say('individual')} disabled={disabled} />
            </Box>
          </Flex>
        )}
      </Records>
    </Whole>
  );
}

/** Picks an individual by its name. @param name the path of the relationship */
function IndividualPart({ name, label, disabled = false }: PartProps) {
  const say = useTexts();
  const { value, change } = usePart<Relationship>(name);
  const { text: fault } = useFaults(`${name}.individual`);
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState<string | null>(null);
  const { currentData: found = [], isFetching } = useIndividualsQuery(typed ?? '', {
    skip: !isOpen,
  });
  const { individual = null, type = null, name: called = null } = value ?? {};
  const chosen = individual === null ? '' : nameOf({ documentId: individual, name: called });

  const choose = (id: string | undefined): void => {
    const one = found.find(({ documentId }) => documentId === id);
    // Closed, the list is asked by name alone when it is left: of two with one name, that may be the other.
    if (one && isOpen) change({ type, individual: one.documentId, name: one.name });
    setTyped(null);
  };

  return (
    <Field.Root error={fault}>
      <Field.Label>{label}</Field.Label>
      <Combobox
        name={`${name}.individual`}
        autocomplete={{ type: 'list', filter: 'contains' }}
        placeholder={say('search')}
        disabled={disabled}
        loading={isFetching}
        loadingMessage={say('loading')}
        noOptionsMessage={() => say('none')}
        value={individual ?? ''}
        textValue={typed ?? chosen}
        onOpenChange={(open: boolean) => {
          setOpen(open);
          if (!open) setTyped(null);
        }}
        onInputChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={choose}
        onClear={() => {
          change({ type, individual: null });
          setTyped(null);
        }}
      >
        {found.map((one) => (
          <ComboboxOption key={one.documentId} value={one.documentId} textValue={nameOf(one)}>
            <Flex gap={2}>
              <Typography>{nameOf(one)}</Typography>
              <Typography variant="pi" textColor="neutral600">
                {[one.taxonomy?.scientificName, one.sex].filter(Boolean).join(', ')}
              </Typography>
            </Flex>
          </ComboboxOption>
        ))}
      </Combobox>
      <Field.Error />
    </Field.Root>
  );
}

/** An animal without a name is known by its ID. */
const nameOf = ({ documentId, name }: Pick<OfferedIndividual, 'documentId' | 'name'>): string =>
  name ?? documentId;

function useTexts(): (id: string) => string {
  const intl = useIntl();
  return (id) => intl.formatMessage({ id: `panel.relationships.${id}` });
}
