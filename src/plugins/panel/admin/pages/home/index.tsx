/** `/admin`: what waits, what has changed, and, for administrators, what the service needs. */
import { useIntl } from 'react-intl';
import { Layouts, Page, useAuth } from '@strapi/strapi/admin';
import { Box, Grid } from '@strapi/design-system';
import type { ReactNode } from 'react';
import { momentText, usePanelTexts } from '../../parts/texts';
import { useIsAdministrator } from '../../seams/routes';
import { ChangesCard, useChanges } from './changes';
import { InstallationCard } from './installation';
import { LimitsCard } from './limits';
import { useLastVisit } from './use-visit';
import { AnonymousCard, WaitingCard } from './waiting';

export default function Home() {
  const say = usePanelTexts('home');
  const { locale } = useIntl();
  const user = useAuth('Home', (state) => state.user);
  const since = useLastVisit(String(user?.id ?? ''));
  const changes = useChanges(since);
  const isAdministrator = useIsAdministrator();
  const moment = momentText(new Date(since).toISOString(), locale);
  return (
    <Page.Main>
      <Page.Title>{say('title')}</Page.Title>
      <Layouts.Header title={say('title')} subtitle={say('since', { moment })} />
      <Layouts.Content>
        <Box paddingBottom={8}>
          <Grid.Root gap={5}>
            <Part>
              <WaitingCard />
            </Part>
            <Part>
              <AnonymousCard />
            </Part>
            <Part>
              <ChangesCard name="byOthers" answer={changes} />
            </Part>
            <Part>
              <ChangesCard name="afterApproval" answer={changes} />
            </Part>
            {isAdministrator ? (
              <>
                <Part>
                  <InstallationCard />
                </Part>
                <Part>
                  <LimitsCard />
                </Part>
              </>
            ) : null}
          </Grid.Root>
        </Box>
      </Layouts.Content>
    </Page.Main>
  );
}

const Part = ({ children }: { readonly children: ReactNode }) => (
  <Grid.Item col={6} s={12} direction="column" alignItems="stretch">
    {children}
  </Grid.Item>
);
