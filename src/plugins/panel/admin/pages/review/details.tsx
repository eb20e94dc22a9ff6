import { lazy, Suspense, useCallback, useEffect, useState, type RefObject } from 'react';
import { useIntl } from 'react-intl';
import { Button, Field, Flex, Grid, Textarea, TextInput, Typography } from '@strapi/design-system';
import { formatDecimal, parseDecimal } from '../../inputs/decimal';
import { Picker, type Choice } from '../../parts/picker';
import { findIndividuals, findTaxa } from './api';
import { IndividualChoice, TaxonChoice } from './choices';
import type { TypedDraft, Edits } from './steps';
import { individualText, taxonText, useSay } from './texts';
import type { Editable, Encounter, IncludedRecords, Individual, Taxon } from './types';

const PositionMap = lazy(() => import('../../parts/position-map'));

interface Props {
  readonly record: Encounter;
  readonly draft: TypedDraft;
  readonly included: IncludedRecords;
  readonly taxonInput: RefObject<HTMLInputElement>;
  readonly individualInput: RefObject<HTMLInputElement>;
  readonly canTake: boolean;
  readonly onTake: () => void;
  readonly onEdit: (edits: Edits) => void;
  readonly onNewIndividual: (name: string | null) => void;
  /** Remembers what was chosen, so that it is named. */
  readonly onKnown: (known: { readonly taxon?: Taxon; readonly individual?: Individual }) => void;
}

/** Stands for an individual that is to be made. */
const NEW = 'new:';

/** The fields of a record, with what is typed and not decided yet. */
export function Details(props: Props) {
  const { record, draft, included, onEdit, onNewIndividual, onKnown } = props;
  const say = useSay();
  const { locale } = useIntl();
  const shown: Editable = { ...record, ...draft.edits };
  const { latitude, longitude, taxonomy } = shown;

  const [taxa, setTaxa] = useState<readonly Taxon[]>([]);
  const findTaxon = useCallback(
    async (text: string, signal: AbortSignal): Promise<readonly Choice[]> => {
      if (text.trim() === '') return [];
      const found = await findTaxa(text, signal);
      setTaxa(found);
      return found.map((taxon) => ({
        key: taxon.id,
        text: taxonText(taxon, locale) ?? taxon.id,
        content: <TaxonChoice taxon={taxon} />,
      }));
    },
    [locale],
  );

  const [individuals, setIndividuals] = useState<readonly Individual[]>([]);
  const findIndividual = useCallback(
    async (text: string, signal: AbortSignal): Promise<readonly Choice[]> => {
      const name = text.trim();
      const found = await findIndividuals(
        {
          ...(name === '' ? { sort: '-last_seen' } : { q: name }),
          ...(taxonomy === null ? {} : { taxonomy_under: taxonomy }),
        },
        signal,
      );
      setIndividuals(found);
      const choices = found.map((one) => ({
        key: one.id,
        text: individualText(one) ?? one.id,
        content: <IndividualChoice individual={one} />,
      }));
      const isNew = name !== '' && !found.some((one) => individualText(one) === name);
      return isNew
        ? [...choices, { key: NEW + name, text: name, content: say('individual.new', { name }) }]
        : choices;
    },
    [taxonomy, say],
  );

  const chooseIndividual = (key: string): void => {
    if (key.startsWith(NEW)) {
      onEdit({ individual: record.individual });
      onNewIndividual(key.slice(NEW.length));
      return;
    }
    const individual = individuals.find(({ id }) => id === key);
    onKnown(individual ? { individual } : {});
    onNewIndividual(null);
    onEdit({ individual: key });
  };
  const chooseTaxon = (key: string): void => {
    const taxon = taxa.find(({ id }) => id === key);
    onKnown(taxon ? { taxon } : {});
    onEdit({ taxonomy: key });
  };
  const { newIndividual } = draft;
  const named = individualText(included.individual?.[shown.individual ?? '']) ?? '';

  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Picker
        ref={props.taxonInput}
        label={say('taxon')}
        placeholder={say('taxon.placeholder')}
        chosen={taxonText(included.taxonomy?.[taxonomy ?? ''], locale) ?? ''}
        find={findTaxon}
        nothing={say('taxon.nothing')}
        onChoose={chooseTaxon}
        onClear={() => onEdit({ taxonomy: null })}
      />
      <Picker
        ref={props.individualInput}
        label={say('individual')}
        placeholder={say('individual.placeholder')}
        hint={newIndividual === null ? undefined : say('individual.isNew')}
        chosen={newIndividual ?? named}
        find={findIndividual}
        nothing={say('individual.nothing')}
        onChoose={chooseIndividual}
        onClear={() => {
          onNewIndividual(null);
          onEdit({ individual: null });
        }}
      />
      <TextPart label={say('time')} value={shown.time} onChange={(time) => onEdit({ time })} />
      <Grid.Root gap={2}>
        <Grid.Item col={6} direction="column" alignItems="stretch">
          <NumberPart
            label={say('latitude')}
            value={latitude}
            onChange={(value) => onEdit({ latitude: value })}
          />
        </Grid.Item>
        <Grid.Item col={6} direction="column" alignItems="stretch">
          <NumberPart
            label={say('longitude')}
            value={longitude}
            onChange={(value) => onEdit({ longitude: value })}
          />
        </Grid.Item>
      </Grid.Root>
      <Button variant="secondary" size="S" disabled={!props.canTake} onClick={props.onTake}>
        {say(props.canTake ? 'take' : 'take.nothing')}
      </Button>
      {latitude === null || longitude === null ? null : (
        <Flex direction="column" alignItems="stretch" gap={1}>
          <Suspense fallback={<Typography variant="pi">{say('map.loading')}</Typography>}>
            <PositionMap
              latitude={latitude}
              longitude={longitude}
              uncertainty={record.coordinate_uncertainty}
              isGeneralized={record.level === 'obscured'}
              label={say('map')}
            />
          </Suspense>
        </Flex>
      )}
      <ToldToStrangers record={record} />
      <Grid.Root gap={2}>
        <Grid.Item col={8} direction="column" alignItems="stretch">
          <TextPart
            label={say('locality')}
            value={shown.locality}
            onChange={(locality) => onEdit({ locality })}
          />
        </Grid.Item>
        <Grid.Item col={4} direction="column" alignItems="stretch">
          <NumberPart
            label={say('groupSize')}
            value={shown.group_size}
            onChange={(value) => onEdit({ group_size: value })}
          />
        </Grid.Item>
      </Grid.Root>
      <Field.Root>
        <Field.Label>{say('remarks')}</Field.Label>
        <Textarea
          value={shown.remarks ?? ''}
          onChange={({ currentTarget }: { currentTarget: { value: string } }) =>
            onEdit({ remarks: currentTarget.value === '' ? null : currentTarget.value })
          }
        />
      </Field.Root>
    </Flex>
  );
}

/** What strangers are told of the place and the time, and from when on. */
function ToldToStrangers({ record }: { readonly record: Encounter }) {
  const say = useSay();
  const { locale } = useIntl();
  const { told_from: from, level, state } = record;
  const isLater = from !== null && Date.parse(from) > Date.now();
  const when =
    state !== 'approved' || from === null
      ? say('told.approved')
      : say(isLater ? 'told.later' : 'told.now', { date: dateText(from, locale) });
  return (
    <Typography variant="pi" textColor="neutral600">
      {say(`told.${level ?? 'open'}`)} {when}
    </Typography>
  );
}

/** A date of UTC, as `2026-03-01`, in words. */
const dateText = (date: string, language: string): string =>
  new Date(date).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });

function TextPart({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}) {
  return (
    <Field.Root>
      <Field.Label>{label}</Field.Label>
      <TextInput
        autoComplete="off"
        value={value ?? ''}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? null : currentTarget.value)
        }
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </Field.Root>
  );
}

/** A number, with the decimal sign of any language; what is none is told at the field, and not taken. */
function NumberPart({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}) {
  const intl = useIntl();
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState<string | undefined>(undefined);
  useEffect(() => {
    setTyped(null);
    setFault(undefined);
  }, [value]);
  const leave = (): void => {
    if (typed === null) return;
    const parsed = parseDecimal(typed, null);
    if ('fault' in parsed) {
      const id = `panel.number.${parsed.fault}`;
      setFault(intl.formatMessage({ id, defaultMessage: id }));
      return;
    }
    setTyped(null);
    onChange(parsed.value);
  };
  return (
    <Field.Root error={fault}>
      <Field.Label>{label}</Field.Label>
      <TextInput
        autoComplete="off"
        inputMode="decimal"
        value={typed ?? (value === null ? '' : formatDecimal(value, intl.locale))}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={leave}
        onKeyDown={(event) => ['Enter', 'Escape'].includes(event.key) && event.currentTarget.blur()}
      />
      <Field.Error />
    </Field.Root>
  );
}
