/** Where the link of a mail leads. */
import type { Language } from '../../../../core/messages';
import type { TokenKind } from '../tokens/tokens';

export interface LinkSettings {
  /** Of the frontend, without a slash at its end; null where there is none. */
  readonly frontendUrl: string | null;
  /** Origin of the service; its host is that of the default sender of mails, too. */
  readonly publicUrl: string;
}

/** The token of a mail, which its link carries. */
export interface MailToken {
  readonly kind: TokenKind;
  readonly secret: string;
}

/** The page of the service's own that takes a token, for where there is no frontend. */
export const accountPath = (kind: TokenKind): string => `/account/${kind}`;

/**
 * To the frontend the token goes in a fragment, which browsers send to no server. The service's own page has no script
 * to read that: it takes the token in the query, which no log of the service holds, beside the language of the mail.
 */
export const linkOf = (
  { kind, secret }: MailToken,
  { frontendUrl, publicUrl }: LinkSettings,
  language: Language,
): string =>
  frontendUrl === null
    ? `${publicUrl}${accountPath(kind)}?token=${secret}&lng=${language}`
    : `${frontendUrl}/${kind}#token=${secret}`;
