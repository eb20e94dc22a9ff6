/** `/admin/me`: the own account. Strapi's page has rules of its own for passwords, which the service does not have. */
import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import {
  Form,
  InputRenderer,
  Layouts,
  Page,
  isBaseQueryError,
  useAPIErrorHandler,
  useAuth,
  useNotification,
} from '@strapi/strapi/admin';
import { Box, Button, Flex, Grid, Typography } from '@strapi/design-system';
import { Check } from '@strapi/icons';
import { currentTheme, THEMES } from '../seams/appearance';
import { LANGUAGES } from '../translations/languages';
import { useSaveProfileMutation, type Profile } from './api';

type Values = Profile & { readonly confirmPassword: string };
type Helpers = { readonly setErrors: (errors: object) => void };

export default function ProfilePage() {
  const intl = useIntl();
  const say = (id: string): string =>
    intl.formatMessage({ id: `panel.profile.${id}`, defaultMessage: id });
  const strapi = (id: string): string => intl.formatMessage({ id, defaultMessage: id });
  const user = useAuth('ProfilePage', (state) => state.user);
  const submit = useSubmit(say);
  if (!user) return <Page.Loading />;
  const name = [user.firstname, user.lastname].filter(Boolean).join(' ');
  const values: Values = {
    firstname: name,
    email: user.email ?? '',
    username: user.username ?? '',
    preferedLanguage: user.preferedLanguage ?? null,
    currentPassword: '',
    password: '',
    confirmPassword: '',
    theme: currentTheme(),
  };
  return (
    <Page.Main>
      <Page.Title>{say('title')}</Page.Title>
      <Form method="PUT" initialValues={values} onSubmit={submit}>
        {({ isSubmitting, modified }) => (
          <>
            <Layouts.Header
              title={name}
              primaryAction={
                <Button
                  type="submit"
                  startIcon={<Check />}
                  loading={isSubmitting}
                  disabled={!modified}
                >
                  {strapi('global.save')}
                </Button>
              }
            />
            <Layouts.Content>
              <Flex direction="column" alignItems="stretch" gap={6} paddingBottom={8}>
                <Section title={say('account')}>
                  <Part>
                    <InputRenderer name="firstname" type="string" required label={say('name')} />
                  </Part>
                  <Part>
                    <InputRenderer
                      name="email"
                      type="email"
                      required
                      label={strapi('Auth.form.email.label')}
                    />
                  </Part>
                  <Part>
                    <InputRenderer
                      name="username"
                      type="string"
                      label={strapi('Auth.form.username.label')}
                    />
                  </Part>
                </Section>
                <Section title={say('password')} about={say('password.about')}>
                  <Part>
                    <InputRenderer
                      name="currentPassword"
                      type="password"
                      autoComplete="current-password"
                      label={say('password.current')}
                      hint={say('password.current.hint')}
                    />
                  </Part>
                  <Part> </Part>
                  <Part>
                    <InputRenderer
                      name="password"
                      type="password"
                      autoComplete="new-password"
                      label={say('password.new')}
                      hint={say('password.rule')}
                    />
                  </Part>
                  <Part>
                    <InputRenderer
                      name="confirmPassword"
                      type="password"
                      autoComplete="new-password"
                      label={say('password.again')}
                    />
                  </Part>
                </Section>
                <Section title={say('panel')} about={say('panel.about')}>
                  <Part>
                    <InputRenderer
                      name="preferedLanguage"
                      type="enumeration"
                      label={say('language')}
                      options={Object.entries(LANGUAGES).map(([value, label]) => ({
                        value,
                        label,
                      }))}
                    />
                  </Part>
                  <Part>
                    <InputRenderer
                      name="theme"
                      type="enumeration"
                      label={say('mode')}
                      options={THEMES.map((value) => ({ value, label: say(`mode.${value}`) }))}
                    />
                  </Part>
                </Section>
              </Flex>
            </Layouts.Content>
          </>
        )}
      </Form>
    </Page.Main>
  );
}

/** Saves what the form holds, and shows what is refused at its inputs. */
function useSubmit(say: (id: string) => string) {
  const intl = useIntl();
  const { toggleNotification } = useNotification();
  const { _unstableFormatValidationErrors: errorsAt, _unstableFormatAPIError: textOf } =
    useAPIErrorHandler();
  const [save] = useSaveProfileMutation();
  return async (values: Values, { setErrors }: Helpers): Promise<void> => {
    const { confirmPassword, currentPassword, password, ...rest } = values;
    if (password !== confirmPassword) {
      setErrors({ confirmPassword: say('password.differ') });
      return;
    }
    const answer = await save({
      ...rest,
      ...(currentPassword ? { currentPassword } : {}),
      ...(password ? { password } : {}),
    });
    if (!('error' in answer)) {
      const id = 'notification.success.saved';
      const message = intl.formatMessage({ id, defaultMessage: 'Saved' });
      toggleNotification({ type: 'success', message });
      return;
    }
    const { error } = answer;
    const isRefusal = isBaseQueryError(error);
    if (isRefusal && error.name === 'ValidationError') setErrors(errorsAt(error));
    else
      toggleNotification({
        type: 'danger',
        message: isRefusal ? textOf(error) : say('failed'),
      });
  };
}

function Section({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}) {
  return (
    <Box background="neutral0" hasRadius shadow="filterShadow" padding={6}>
      <Flex direction="column" alignItems="stretch" gap={4}>
        <Flex direction="column" alignItems="stretch" gap={1}>
          <Typography variant="delta" tag="h2">
            {title}
          </Typography>
          {about === undefined ? null : <Typography textColor="neutral600">{about}</Typography>}
        </Flex>
        <Grid.Root gap={5}>{children}</Grid.Root>
      </Flex>
    </Box>
  );
}

const Part = ({ children }: { readonly children: ReactNode }) => (
  <Grid.Item xs={12} m={6} col={6} direction="column" alignItems="stretch">
    {children}
  </Grid.Item>
);
