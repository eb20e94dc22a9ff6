import { useIntl } from 'react-intl';
import { adminApi, useForm } from '@strapi/strapi/admin';
import { Flex, Typography } from '@strapi/design-system';
import {
  DECIDING,
  type HiddenChange,
  type HiddenNow,
  type ProposedPrivacy,
} from '../../shared/hidden-now';
import { usePanelTexts } from '../parts/texts';
import type { Description, PageProps, SidePanel } from '../review/content-manager';

const SETTINGS = 'api::site-settings.site-settings';

const api = adminApi.enhanceEndpoints({ addTagTypes: ['Document'] }).injectEndpoints({
  endpoints: (builder) => ({
    hiddenNow: builder.query<HiddenNow, void>({
      query: () => ({ url: '/panel/hidden', method: 'GET' }),
      transformResponse: ({ data }: { data: HiddenNow }) => data,
      // After each change of the settings, and each time that they are opened.
      providesTags: [{ type: 'Document', id: SETTINGS }],
      keepUnusedDataFor: 0,
    }),
    hiddenChange: builder.query<HiddenChange, ProposedPrivacy>({
      query: (proposed) => ({
        url: '/panel/hidden/change',
        method: 'GET',
        config: { params: proposed },
      }),
      transformResponse: ({ data }: { data: HiddenChange }) => data,
      providesTags: [{ type: 'Document', id: SETTINGS }],
      keepUnusedDataFor: 0,
    }),
  }),
});

/** Beside the site settings: how many records strangers are not told, and which settings decide over it. */
export const HiddenPanel: Description<PageProps, SidePanel> = ({ model }) => {
  const intl = useIntl();
  if (model !== SETTINGS) return null;
  return {
    title: intl.formatMessage({ id: 'panel.hidden.title', defaultMessage: 'Hidden from visitors' }),
    content: (
      <>
        <Foretold />
        <Numbers />
      </>
    ),
  };
};

type Values = Readonly<Record<string, unknown>>;

/** What has been changed in the form of the settings that decide over it; null for nothing. */
function proposedIn(initial: Values, values: Values): ProposedPrivacy | null {
  const changed = DECIDING.filter((name) => values[name] !== initial[name]);
  return changed.length === 0
    ? null
    : Object.fromEntries(changed.map((name) => [name, values[name]]));
}

/** What saving the form would hide or show: the lines that count something. */
const FORETOLD = [
  ...(['hides', 'shows', 'tells', 'hidesOwners', 'showsOwners'] as const),
  ...(['hidesPhotographs', 'showsPhotographs'] as const),
] as const;

function Foretold() {
  const say = usePanelTexts('hidden');
  // One text, so that the form's other changes count nothing anew.
  const text = useForm('Foretold', ({ initialValues, values }) =>
    JSON.stringify(proposedIn(initialValues as Values, values as Values)),
  );
  const proposed = JSON.parse(text) as ProposedPrivacy | null;
  const { currentData, isError } = api.useHiddenChangeQuery(proposed ?? {}, {
    skip: proposed === null,
  });
  if (proposed === null) return null;
  const told = currentData ? FORETOLD.filter((name) => currentData[name] > 0) : [];
  return (
    <Flex
      role="status"
      direction="column"
      alignItems="stretch"
      gap={2}
      width="100%"
      padding={3}
      background="warning100"
      hasRadius
    >
      <Typography fontWeight="semiBold" textColor="warning700">
        {say('saving')}
      </Typography>
      {isError ? <Typography>{say('failed')}</Typography> : null}
      {isError || currentData ? null : <Typography>{say('counting')}</Typography>}
      {currentData && told.length === 0 ? <Typography>{say('saving.nothing')}</Typography> : null}
      {told.map((name) => (
        <Typography key={name}>
          {say(`saving.${name}`, { count: currentData?.[name] ?? 0 })}
        </Typography>
      ))}
    </Flex>
  );
}

/** The lines below the first one, each with its number. */
const LINES = [
  ...(['byIndividual', 'unidentified', 'ownerHidden', 'untold', 'untoldIndividuals'] as const),
  ...(['photographs', 'withheld'] as const),
] as const;

function Numbers() {
  const say = usePanelTexts('hidden');
  const { data, isError } = api.useHiddenNowQuery();
  if (isError) return <Typography variant="pi">{say('failed')}</Typography>;
  if (!data) return <Typography variant="pi">{say('counting')}</Typography>;
  const { hidden, encounters, isUnderWay } = data;
  return (
    <Flex direction="column" alignItems="stretch" gap={2} width="100%">
      <Typography>{say('hidden', { hidden, encounters })}</Typography>
      {LINES.filter((name) => data[name] > 0).map((name) => (
        <Typography key={name} variant="pi" textColor="neutral600">
          {say(name, { count: data[name] })}
        </Typography>
      ))}
      {isUnderWay ? <Typography variant="pi">{say('underWay')}</Typography> : null}
    </Flex>
  );
}
