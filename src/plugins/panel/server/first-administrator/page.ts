/** The page that creates the first administrator. */
import {
  formHtml,
  pageHtml,
  paragraph,
  type Input,
  type PageInputs,
} from '../../../wire/server/pages/frame';

const INPUTS: readonly Input[] = [
  { name: 'name', label: 'Name', attributes: 'type="text" autocomplete="name" maxlength="120"' },
  {
    name: 'email',
    label: 'E-mail',
    attributes: 'type="email" autocomplete="username" maxlength="254"',
  },
  {
    name: 'password',
    label: 'Password, 10 characters or more',
    attributes: 'type="password" autocomplete="new-password"',
  },
  {
    name: 'password_again',
    label: 'The password once more',
    attributes: 'type="password" autocomplete="new-password"',
  },
];

export const askPage = (
  action: string,
  token: string,
  typed: PageInputs,
  faults: PageInputs,
): string =>
  pageHtml('en', 'The first administrator', [
    paragraph(
      'This service has no administrator yet. Whoever fills in this form becomes it; afterwards the link is worth nothing.',
    ),
    ...formHtml({ action, token, inputs: INPUTS, submit: 'Make the account' }, typed, faults),
  ]);

export const donePage = (): string =>
  pageHtml('en', 'The account is made', [
    '<p>Sign in to the panel with this e-mail and password: <a href="/admin">to the panel</a>.</p>',
  ]);

/** The same answer for an invented secret, a used one, and that of an earlier start. */
export const noPage = (): string =>
  pageHtml('en', 'This link is not valid', [
    paragraph(
      'It has been used, a later start of the service has printed another one, or it was never valid.',
    ),
  ]);

export const failedPage = (): string =>
  pageHtml('en', 'That did not work', [paragraph('Nothing was made. Try again in a moment.')]);
