/**
 * The pages for links in mails without a frontend (contract, section 12). They do the same as `POST /password` and
 * `POST /verify`, with the same checks and limits.
 */
import type { Core } from '@strapi/strapi';
import type { IncomingMessage } from 'node:http';
import { anonymous, local, type Caller } from '../../../core/caller';
import { ApiError, malformed } from '../../../core/errors';
import { textsAtInputs, languageOf, textOf, type Language } from '../../../core/messages';
import { MIN_PASSWORD } from '../../../core/formats';
import { inspectJson } from '../../../core/text';
import { accountsOf } from '../../../plugins/accounts/server';
import { accountPath } from '../../../plugins/accounts/server/mail/link';
import { TOKEN_KINDS, type TokenKind } from '../../../plugins/accounts/server/tokens/tokens';
import { siteOf } from '../../../plugins/objects/server';
import { wireOf } from '../../../plugins/wire/server';
import {
  formPage,
  type FormPage,
  type PageAnswer,
} from '../../../plugins/wire/server/pages/form-page';
import {
  escaped,
  formHtml,
  pageHtml,
  paragraph,
  type Input,
  type PageInputs,
} from '../../../plugins/wire/server/pages/frame';
import { PASSWORD, VERIFY } from '../bodies';
import { pageTexts, type PageText, type Say } from './texts';

/** To be called in `register`. */
export function addAccountPages(strapi: Core.Strapi): void {
  for (const kind of TOKEN_KINDS) {
    const page = formPage(strapi, `the page ${kind}`, (query, req) =>
      accountPage(strapi, kind, languageFor(strapi, query), req),
    );
    wireOf(strapi).addPage(accountPath(kind), page);
  }
}

/** The language of the mail, which is in the link. */
const languageFor = (strapi: Core.Strapi, query: URLSearchParams): Language =>
  languageOf(query.get('lng'), siteOf(strapi).current().defaultLanguage);

function accountPage(
  strapi: Core.Strapi,
  kind: TokenKind,
  language: Language,
  req: IncomingMessage,
): FormPage {
  const say = pageTexts(language);
  const isPassword = kind !== 'verify';
  const caller: Caller = {
    ...local(anonymous()),
    network: wireOf(strapi).networks.networkOf(req),
  };
  const authentication = accountsOf(strapi).authentication();
  const page = (title: PageText, ...body: string[]): string => pageHtml(language, say(title), body);
  const ask = (token: string, faults: PageInputs): string => {
    const action = `${accountPath(kind)}?lng=${language}`;
    const inputs = isPassword ? passwordInputs(say) : [];
    const form = { action, token, inputs, submit: say(isPassword ? 'save' : 'confirm') };
    return page(kind, paragraph(say(`${kind}_about`)), ...formHtml(form, {}, faults));
  };
  const refused = (token: string, error: unknown): PageAnswer => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    const { status, headers, invalid, key } = error;
    if (key === 'TOKEN_INVALID' || invalid.some(({ path }) => path === 'token'))
      return { status: 400, html: page('no_token', paragraph(textOf(NO_TOKEN, language))) };
    const faults =
      invalid.length > 0 ? textsAtInputs({}, invalid, language) : { '': textOf(error, language) };
    return { status, headers, html: ask(token, faults) };
  };
  return {
    async show(token) {
      try {
        await authentication.checkToken(token, isPassword ? PASSWORD_KINDS : ['verify'], caller);
        return { status: 200, html: ask(token, {}) };
      } catch (error) {
        return refused(token, error);
      }
    },
    async submit(token, { password = '', password_again: again }) {
      if (isPassword && again !== password)
        return { status: 400, html: ask(token, { password_again: say('passwords_differ') }) };
      try {
        const body = isPassword ? { token, password } : { token };
        const forbidden = inspectJson(body);
        if (forbidden.length > 0) throw malformed(forbidden);
        (isPassword ? PASSWORD : VERIFY).check(body);
        if (isPassword) await authentication.setByToken(token, password, caller);
        else await authentication.verify(token, caller);
      } catch (error) {
        return refused(token, error);
      }
      const html = isPassword
        ? page('saved', paragraph(say('saved_about')), panelLink(say))
        : page('confirmed', paragraph(say('confirmed_about')));
      return { status: 200, html };
    },
    failed: () => page('failed', paragraph(say('failed_about'))),
  };
}

/** The tokens that `POST /password` accepts: each of the two pages works with both. */
const PASSWORD_KINDS = ['reset', 'invite'] as const;

const NO_TOKEN = new ApiError('TOKEN_INVALID');

const panelLink = (say: Say): string => `<p><a href="/admin">${escaped(say('to_panel'))}</a></p>`;

const passwordInputs = (say: Say): readonly Input[] => [
  { name: 'password', label: say('password', { min: MIN_PASSWORD }), attributes: NEW_PASSWORD },
  { name: 'password_again', label: say('password_again'), attributes: NEW_PASSWORD },
];

const NEW_PASSWORD = 'type="password" autocomplete="new-password"';
