import { useEffect } from 'react';
import { useIntl } from 'react-intl';
import { useNotification, type StrapiApp } from '@strapi/strapi/admin';
import { Typography } from '@strapi/design-system';
import type { Description, PageProps, SidePanel } from '../review/content-manager';

const USERS = 'plugin::users-permissions.user';

/** Where the ID of the account is kept that was made without a password, until its page tells of the mail. */
const INVITED = 'panel.invited';

type CreateMiddleware = StrapiApp['middlewares'][number];

interface Action {
  readonly type: string;
  readonly payload?: { readonly data?: { readonly documentId?: string } };
  readonly meta?: {
    readonly arg?: {
      readonly endpointName?: string;
      readonly originalArgs?: {
        readonly model?: string;
        readonly data?: { readonly password?: string | null };
      };
    };
  };
}

/** Remembers an account that was made without a password: the service mails an invitation to it. */
export const noteInvitations: CreateMiddleware = () => () => (next) => (action: Action) => {
  const { endpointName, originalArgs } = action.meta?.arg ?? {};
  const isMade =
    action.type === 'adminApi/executeMutation/fulfilled' && endpointName === 'createDocument';
  const id = action.payload?.data?.documentId;
  if (isMade && originalArgs?.model === USERS && !originalArgs.data?.password && id !== undefined)
    sessionStorage.setItem(INVITED, id);
  return next(action);
};

/** Beside the form of an account: that without a password an invitation is mailed, and that one has been. */
export const InvitationPanel: Description<PageProps, SidePanel> = ({ model, document }) => {
  const intl = useIntl();
  if (model !== USERS) return null;
  const say = (id: string, values: Record<string, string> = {}): string =>
    intl.formatMessage({ id: `panel.invitation.${id}`, defaultMessage: id }, values);
  if (!document) return { title: say('title'), content: <Told text={say('without')} /> };
  if (sessionStorage.getItem(INVITED) !== document.documentId) return null;
  const { email } = document;
  const text = say('sent', { email: typeof email === 'string' ? email : '' });
  return { title: say('title'), content: <Told text={text} isNew /> };
};

function Told({ text, isNew = false }: { readonly text: string; readonly isNew?: boolean }) {
  const { toggleNotification } = useNotification();
  useEffect(() => {
    if (isNew) toggleNotification({ type: 'info', message: text });
  }, [isNew, text, toggleNotification]);
  return <Typography variant="pi">{text}</Typography>;
}
