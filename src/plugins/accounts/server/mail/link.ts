/** The links in mails. */
import type { Language } from '../../../../core/messages';
import type { TokenKind } from '../tokens/tokens';

export interface LinkSettings {
  /** The address of the frontend, without a slash at its end; null where there is none. */
  readonly frontendUrl: string | null;
  /** The origin of the service; its host is also that of the default sender of mails. */
  readonly publicUrl: string;
}

/** The token in the link. */
export interface MailToken {
  readonly kind: TokenKind;
  readonly secret: string;
}

/** The service's own page for a token, used without a frontend. */
export const accountPath = (kind: TokenKind): string => `/account/${kind}`;

/**
 * A link to the frontend has the token in its fragment, which browsers do not send to servers. The service's own page
 * has no script to read a fragment: it receives the token in the query, which the service never logs, with the language
 * of the mail.
 */
export const linkOf = (
  { kind, secret }: MailToken,
  { frontendUrl, publicUrl }: LinkSettings,
  language: Language,
): string =>
  frontendUrl === null
    ? `${publicUrl}${accountPath(kind)}?token=${secret}&lng=${language}`
    : `${frontendUrl}/${kind}#token=${secret}`;
