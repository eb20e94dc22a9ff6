import { accountsOf } from '#app/plugins/accounts/server';
import { issueToken, type TokenKind } from '#app/plugins/accounts/server/tokens/tokens';
import { databaseOf } from '#app/plugins/objects/server';
import { startMailServer, type MailServer, type ReceivedMail } from './mail-server';
import type { Person } from './people';
import { until } from './until';
import { useWorld, type World } from './world';

const FRONTEND = 'https://frontend.example';

/** A service that sends its mails to a server of the test's. */
export interface Mailbox {
  readonly world: () => World;
  /** All mails to an address, as soon as none is waiting any more. */
  readonly mailsTo: (email: string) => Promise<ReceivedMail[]>;
  /** The token of the only mail of this kind to an address. */
  readonly tokenTo: (email: string, kind: TokenKind) => Promise<string>;
  readonly outboxIsEmpty: () => Promise<void>;
  /** A token as its mail holds it, made some time ago. */
  readonly issue: (kind: TokenKind, person: Person, age?: number) => Promise<string>;
}

/** For the tests of the file that calls this. Limits on mails are off; the test says from which network it asks. */
export function useMailbox(): Mailbox {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  const world = useWorld(() => ({
    env: {
      ...{ SMTP_URL: server.url, FRONTEND_URL: FRONTEND, LIMIT_MAILS: '0' },
      TRUSTED_PROXIES: '127.0.0.1',
    },
  }));
  afterAll(() => server.stop());

  const outboxIsEmpty = (): Promise<void> => {
    const { strapi } = world().service;
    return until('the outbox is empty', async () => {
      await accountsOf(strapi).deliver();
      const letters: unknown[] = await strapi.db.connection('oms_mails').select();
      return letters.length === 0;
    });
  };
  const mailsTo = async (email: string): Promise<ReceivedMail[]> => {
    await outboxIsEmpty();
    return server.received.filter(({ to }) => to.includes(email));
  };
  return {
    world,
    outboxIsEmpty,
    mailsTo,
    async tokenTo(email, kind) {
      const links = (await mailsTo(email)).flatMap(
        ({ text }) => new RegExp(`^${FRONTEND}/${kind}#token=([\\w-]{43})$`, 'm').exec(text) ?? [],
      );
      if (links.length !== 2) throw new Error(`${links.length / 2} mails of ${kind} to ${email}`);
      return links[1] ?? '';
    },
    issue: (kind, { id, email }, age = 0) =>
      databaseOf(world().service.strapi).write(() =>
        issueToken({ kind, account: id, email }, Date.now() - age),
      ),
  };
}
