import { changeSettings } from '#app/api/site-settings/setup';
import { newAccount } from '../../helpers/accounts';
import { at, type Json } from '../../helpers/json';
import type { Mailbox } from '../../helpers/mailbox';
import { from } from '../../helpers/networks';
import { documents, panelOf, type Panel } from '../../helpers/panel';
import { responseOf } from '../../helpers/people';
import { percentEncoded } from '../../helpers/text-bytes';
import type { World } from '../../helpers/world';
import { stored, type Door } from './door';

let made = 0;
const next = (): string => `${(made += 1)}`;

/** The forms of the panel: those of the content manager, its list, and the profile. */
export function panelDoors(world: () => World): Door[] {
  let panel: Panel | null = null;
  const signedIn = async (): Promise<Panel> =>
    (panel ??= await panelOf(world().service, await newAccount(world().service, 'administrator')));

  const form = (
    name: string,
    type: string,
    data: (text: string) => Json,
    found: (document: Json) => unknown,
    keeps?: Door['keeps'],
  ): Door => ({
    name: `${name} in the content manager`,
    ...(keeps ? { keeps } : {}),
    async send(text) {
      const own = await signedIn();
      const { status, body } = await own.ask('POST', documents(type), data(text));
      if (status >= 400) return { status, kept: null };
      return { status, kept: found(await own.open(type, String(at(body, 'data', 'documentId')))) };
    },
  });
  const list = (parameter: string): Door => ({
    name: `the parameter ${parameter} of a list of the panel`,
    room: 7500,
    sizeOf: (text) => percentEncoded(text).length,
    // Bytes that are no UTF-8 stay percent-encoded, and are looked for so.
    ignores: (name) => name === 'halves of surrogate pairs',
    async send(text) {
      const own = await signedIn();
      const { status } = await own.ask(
        'GET',
        `${documents('encounter')}?${parameter}=${percentEncoded(text)}`,
      );
      return { status };
    },
  });
  return [
    form(
      'a text',
      'encounter',
      (locality) => ({ locality }),
      ({ locality }) => locality,
    ),
    form(
      'a list',
      'encounter',
      (text) => ({ tags: JSON.stringify([text]) }),
      ({ tags }) => at(tags, '0'),
      (text, kept) => kept === stored(text).toLowerCase(),
    ),
    form(
      'a name',
      'individual',
      (value) => ({ names: [{ context: 'catalog', value }] }),
      (one) => at(one, 'names', '0', 'value'),
    ),
    form(
      'a localized text',
      'taxonomy',
      (en) => ({ scientificName: `Panel ${next()}`, vernacularNames: { en } }),
      (one) => at(one, 'vernacularNames', 'en'),
    ),
    list('_q'),
    list('filters[locality][$containsi]'),
    {
      name: 'the profile of the panel',
      async send(firstname) {
        const own = await signedIn();
        const { status } = await own.ask('PUT', '/admin/users/me', { firstname, lastname: '' });
        if (status >= 400) return { status, kept: null };
        const { body } = await own.ask('GET', '/admin/users/me');
        return { status, kept: at(body, 'data', 'firstname') };
      },
    },
    {
      name: 'the sign-in of the panel',
      async send(email) {
        const own = await signedIn();
        const { status } = await own.ask('POST', '/admin/login', {
          email,
          password: 'A long one, 1',
        });
        return { status };
      },
    },
  ];
}

/** What is left of a text on one line that nobody is deceived by. */
const onOneLine = (text: string): string => text.replace(/[\s\p{Cc}\p{Cs}\p{Bidi_Control}]+/gu, '');

/** Texts that come into mails: the site's name, which is in their headers, and that of who is invited. */
export function mailDoors({ world, mailsTo }: Mailbox): Door[] {
  /** The mail by which somebody is invited. @throws Error when it has a header that a text has made */
  async function invited(body: Json) {
    const email = `mail-${next()}@people.example.org`;
    const request = {
      method: 'POST',
      url: '/api/v0/user',
      headers: from(),
      body: { ...body, email },
    };
    const answer = await world().send(request);
    if (answer.status !== 200) return { status: answer.status, sender: null, name: null };
    const [mail, ...others] = await mailsTo(email);
    const headers = mail?.headers ?? {};
    if (
      !mail ||
      others.length > 0 ||
      'bcc' in headers ||
      /[\p{Cc}\p{Bidi_Control}]/u.test(Object.values(headers).join(''))
    )
      throw new Error(`the headers are ${JSON.stringify(headers).slice(0, 500)}`);
    const { name } = await world().read('user', String(responseOf(answer)['id']));
    return { status: answer.status, sender: headers['from'] ?? '', name };
  }
  return [
    {
      name: 'the name of the site in the headers of a mail',
      keeps: (text, kept) => onOneLine(stored(text)) === kept,
      async send(text) {
        const url = '/api/v0/site_settings';
        const answer = await world().send({
          method: 'PUT',
          url,
          body: { site_name: { en: text } },
        });
        if (answer.status !== 200) return { status: answer.status, kept: null };
        try {
          const { sender } = await invited({ name: 'Somebody' });
          return { status: 200, kept: onOneLine(String(sender).replace(/^"|"? <[^<]*>$/g, '')) };
        } finally {
          await changeSettings(world().service.strapi, { site_name: {} });
        }
      },
    },
    {
      name: 'the name of who is invited',
      async send(text) {
        const { status, name } = await invited({ name: text });
        return { status, kept: name };
      },
    },
  ];
}
