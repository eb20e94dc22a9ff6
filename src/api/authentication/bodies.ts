/** The bodies of the authentication calls. */
import { MAX_PASSWORD, MIN_PASSWORD } from '../../core/formats';
import { rejectCommon } from '../../plugins/accounts/server/passwords/policy';
import { defineBody } from '../../plugins/objects/server/validate/request-body';

const MAX_NAME = 254;
/** The maximum length of a token. */
const MAX_TOKEN = 128;

const newPassword = {
  kind: 'secret',
  minLength: MIN_PASSWORD,
  maxLength: MAX_PASSWORD,
  rejects: rejectCommon,
  description: 'The new password: 10 to 128 characters, and not one of the 10,000 most common.',
} as const;

export const LOGIN = defineBody({
  username: {
    kind: 'text',
    required: true,
    maxLength: MAX_NAME,
    description: 'The e-mail or the user name.',
  },
  password: {
    kind: 'secret',
    required: true,
    maxLength: MAX_PASSWORD,
    description: 'The password.',
  },
});

export const LOGOUT = defineBody({
  username: {
    kind: 'text',
    maxLength: MAX_NAME,
    description:
      "The caller's own name or address; an administrator may give another user's, to end all of its sessions.",
  },
});

export const RESET = defineBody({
  email: {
    kind: 'email',
    required: true,
    maxLength: MAX_NAME,
    description: 'The address of the account: the link is sent to it, if there is one.',
  },
});

export const VERIFY = defineBody({
  token: { kind: 'text', maxLength: MAX_TOKEN, description: 'The token of the link in the mail.' },
  email: {
    kind: 'email',
    maxLength: MAX_NAME,
    description: 'In place of a token: the address to which the link is sent again.',
  },
});

export const PASSWORD = defineBody({
  token: {
    kind: 'text',
    maxLength: MAX_TOKEN,
    description: 'The token of the link in the mail of a reset or an invitation.',
  },
  current_password: {
    kind: 'secret',
    maxLength: MAX_PASSWORD,
    description: 'In place of a token: the present password of the user who is logged in.',
  },
  password: { ...newPassword, required: true },
});
