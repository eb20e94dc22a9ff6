import { useIntl } from 'react-intl';
import { adminApi } from '@strapi/strapi/admin';
import { Flex, Typography } from '@strapi/design-system';
import type { HiddenNow } from '../../shared/hidden-now';
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
  }),
});

/** Beside the site settings: how many records strangers are not told, and which settings decide over it. */
export const HiddenPanel: Description<PageProps, SidePanel> = ({ model }) => {
  const intl = useIntl();
  if (model !== SETTINGS) return null;
  return {
    title: intl.formatMessage({ id: 'panel.hidden.title', defaultMessage: 'Hidden from visitors' }),
    content: <Numbers />,
  };
};

/** The lines below the first one, each with its number. */
const LINES = [
  ...(['byIndividual', 'unidentified', 'ownerHidden', 'untold', 'untoldIndividuals'] as const),
  ...(['photographs', 'withheld'] as const),
] as const;

function Numbers() {
  const intl = useIntl();
  const { data, isError } = api.useHiddenNowQuery();
  const say = (id: string, values: Record<string, number> = {}): string =>
    intl.formatMessage({ id: `panel.hidden.${id}`, defaultMessage: id }, values);
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
