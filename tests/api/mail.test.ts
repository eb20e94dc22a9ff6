import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropMails } from '#app/plugins/accounts/server/mail/outbox';
import type { Mail } from '#app/plugins/accounts/server/mail/compose';
import { LIFETIMES, redeemToken, TOKEN_KINDS } from '#app/plugins/accounts/server/tokens/tokens';
import { accountsOf } from '#app/plugins/accounts/server';
import { databaseOf } from '#app/plugins/objects/server';
import { changeAccount, newAccount } from '../helpers/accounts';
import { readMail, startMailServer, type MailServer } from '../helpers/mail-server';
import { ANA, BEN, openPostOffice, type Courier, type PostOffice } from '../helpers/post-office';
import { until } from '../helpers/until';
import { startService, type TestService } from '../helpers/service';

const MINUTE = 60_000;

const secretIn = (text: string): string => /#token=([\w-]{43})$/m.exec(text)?.[1] ?? '';

describe('mails', () => {
  let server: MailServer;
  let service: TestService;
  let office: PostOffice;
  let couriers: Courier[] = [];

  beforeAll(async () => {
    server = await startMailServer();
    service = await startService({ listen: false, env: { SMTP_URL: server.url } });
    office = openPostOffice(service);
  });
  afterEach(async () => {
    await Promise.all(couriers.map((courier) => courier.stop()));
    couriers = [];
    await server.start();
    server.received.length = 0;
    server.refusal = null;
    office.lines.length = 0;
    await service.strapi.db.connection('oms_mails').delete();
    await service.strapi.db.connection('oms_tokens').delete();
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  const started = (...args: Parameters<PostOffice['courier']>): Courier => {
    const courier = office.courier(...args);
    couriers.push(courier);
    courier.start();
    return courier;
  };
  const outboxIsEmpty = () =>
    until('the outbox is empty', async () => (await office.rows()).length === 0);
  const redeem = (secret: string) =>
    databaseOf(service.strapi).write(() => redeemToken(secret, TOKEN_KINDS, office.now));

  test('are in the language of whom they are for, in text and HTML, from the site', async () => {
    await office.post({ kind: 'verify', to: { account: ANA.id } });
    started();
    await outboxIsEmpty();
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      from: 'no-reply@oms.example.org',
      to: ['ana@people.example.org'],
      headers: {
        from: 'Nutrias y más <no-reply@oms.example.org>',
        to: 'ana@people.example.org',
        subject: 'Nutrias y más: confirme su dirección de correo',
        'auto-submitted': 'auto-generated',
        'message-id': expect.stringMatching(/^<.+@.+>$/) as string,
        date: expect.stringMatching(/\d{4} \d\d:\d\d:\d\d/) as string,
      },
      text: expect.stringMatching(
        /^Hola, Ana Núñez:\n\n.*\n\nhttps:\/\/wildlife\.example\.org\/verify#token=[\w-]{43}\n\n.* 7 días\./,
      ) as string,
    });
    const { text = '', html = '' } = server.received[0] ?? {};
    expect(html).toContain('<html lang="es">');
    expect(html).toContain(`href="https://wildlife.example.org/verify#token=${secretIn(text)}"`);
  });

  test.each(TOKEN_KINDS)('of the kind %s carry a token that works once', async (kind) => {
    await office.post({ kind, to: { account: BEN.id } });
    expect(JSON.stringify([await office.rows(), await office.rows('oms_tokens')])).not.toMatch(
      /[\w-]{43}|@/,
    );
    started();
    await outboxIsEmpty();
    const { text = '' } = server.received[0] ?? {};
    expect(text).toContain(`https://wildlife.example.org/${kind}#token=`);
    const [row, ...others] = await office.rows('oms_tokens');
    expect(Number(row?.['expires_at'])).toBe(office.now + LIFETIMES[kind]);
    expect(others).toEqual([]);
    expect(await redeem(secretIn(text))).toEqual({ kind, account: BEN.id, email: BEN.email });
    expect(await redeem(secretIn(text))).toBeNull();
  });

  test('go to whoever has an address, and nowhere when nobody has it', async () => {
    await office.post({ kind: 'reset', to: { emailKey: 'nobody@people.example.org' } });
    await office.post({ kind: 'reset', to: { emailKey: 'ben@people.example.org' } });
    started();
    await outboxIsEmpty();
    expect(server.received.map(({ to }) => to)).toEqual([['ben@people.example.org']]);
    expect(await office.rows('oms_tokens')).toHaveLength(1);
    expect(office.lines).toEqual([]);
  });

  test('of security have no link, and that of a new address goes to the old one', async () => {
    await office.post({
      kind: 'address_changed',
      to: { account: BEN.id, address: 'ben@old.example.org' },
    });
    office.now += 1;
    await office.post({ kind: 'password_changed', to: { account: BEN.id } });
    started();
    await outboxIsEmpty();
    expect(server.received.map(({ to, headers }) => [...to, headers['subject']])).toEqual([
      ['ben@old.example.org', 'Nutrias y más: the e-mail address of your account was changed'],
      ['ben@people.example.org', 'Nutrias y más: your password was changed'],
    ]);
    for (const { text } of server.received) expect(text).not.toMatch(/http|token/);
    expect(await office.rows('oms_tokens')).toEqual([]);
  });

  test('to an account that goes are taken back', async () => {
    await office.post({ kind: 'verify', to: { account: ANA.id } });
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    await databaseOf(service.strapi).write(() => dropMails(ANA.id));
    expect((await office.rows()).map(({ account }) => account)).toEqual([BEN.id]);
  });

  test('are tried again after the server was down, with another token', async () => {
    await server.stop();
    await office.post({ kind: 'reset', to: { account: BEN.id } });
    const courier = started();
    await until('a warning', () => office.lines.length === 1);
    expect(office.lines).toEqual([
      expect.stringMatching(/^warn mail: "reset" .*\(E\w+\); attempt 1, again in 1 minutes$/),
    ]);
    expect(await office.rows('oms_tokens')).toEqual([]);
    await server.start();
    office.now += MINUTE - 1;
    courier.wake();
    await sleep(300);
    expect(server.received).toEqual([]);
    office.now += 1;
    courier.wake();
    await outboxIsEmpty();
    expect(server.received).toHaveLength(1);
    expect(await redeem(secretIn(server.received[0]?.text ?? ''))).not.toBeNull();
  });

  test('are tried ever less often, and given up after three days', async () => {
    server.refusal = 'no mailbox here by the name of';
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    const courier = started();
    const waits: number[] = [];
    for (let tries = 1; ; tries += 1) {
      await until(`line ${tries}`, () => office.lines.length === tries);
      const [row] = await office.rows();
      if (!row) break;
      waits.push((Number(row['next_at']) - office.now) / MINUTE);
      office.now = Number(row['next_at']);
      courier.wake();
    }
    expect(waits).toEqual([1, 5, 15, 60, 360, 720, 720, 720, 720, 720]);
    expect(office.lines.at(-1)).toBe(
      'error mail: "verify" could not be sent (EENVELOPE 550) in 11 attempts, and is given up',
    );
    expect(office.lines.join()).not.toMatch(/@|mailbox|[\w-]{43}/);
    expect(await office.rows('oms_tokens')).toEqual([]);
    expect(server.received).toEqual([]);
  });

  test('that cannot be sent do not keep back others', async () => {
    const sent: string[] = [];
    await office.post({ kind: 'verify', to: { account: ANA.id } });
    office.now += 1;
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    started({
      send: (mail: Mail) => {
        if (mail.to.address === ANA.email) return Promise.reject(new Error(ANA.email));
        sent.push(mail.to.address);
        return Promise.resolve('sent');
      },
    });
    await until('a mail', () => sent.length > 0);
    expect(sent).toEqual([BEN.email]);
    expect(office.lines).toEqual([
      'warn mail: "verify" could not be sent (Error); attempt 1, again in 1 minutes',
    ]);
  });

  test('are tried at once, with what has come of it', async () => {
    const { id, email: address } = await newAccount(service, 'moderator');
    const accounts = accountsOf(service.strapi);
    expect(await accounts.testMail(id)).toEqual({ address, delivery: 'sent', error: null });
    expect(server.received.map(({ to }) => to)).toEqual([[address]]);
    await server.stop();
    const failed = { address, delivery: null, error: 'ESOCKET' };
    expect(await accounts.testMail(id)).toEqual(failed);
    expect(await office.rows()).toEqual([]);
    await changeAccount(service, id, { blocked: true });
    expect(await accounts.testMail(id)).toBeNull();
  });

  test('are sent once each by two couriers', async () => {
    for (let count = 0; count < 20; count += 1) {
      office.now += 1;
      await office.post({ kind: 'reset', to: { account: count % 2 === 0 ? ANA.id : BEN.id } });
    }
    const sent: string[][] = [[], []];
    for (const by of sent)
      started({
        async send({ text }) {
          by.push(secretIn(text));
          await sleep(10);
          return 'sent';
        },
      });
    await outboxIsEmpty();
    expect(sent.flat()).toHaveLength(20);
    expect(new Set(sent.flat()).size).toBe(20);
    for (const by of sent) expect(by.length).toBeGreaterThan(2);
  });

  test('are not seen before the transaction that posts them has ended', async () => {
    const courier = started();
    await service.strapi.db.transaction(async () => {
      await office.post({ kind: 'verify', to: { account: BEN.id } });
      courier.wake();
      await sleep(100);
      expect(server.received).toEqual([]);
    });
    courier.wake();
    await outboxIsEmpty();
    expect(server.received).toHaveLength(1);
  });

  test('are no part of a transaction in which the courier is woken', async () => {
    const courier = started();
    office.now += MINUTE;
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    office.now -= MINUTE;
    const failing = service.strapi.db.transaction(async () => {
      office.now += MINUTE;
      courier.wake();
      await sleep(200);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await outboxIsEmpty();
    expect(server.received).toHaveLength(1);
    expect(await redeem(secretIn(server.received[0]?.text ?? ''))).not.toBeNull();
    expect(office.lines).toEqual([]);
  });

  test('are waited for by a courier that stops, which takes no other', async () => {
    await office.post({ kind: 'verify', to: { account: ANA.id } });
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    let begun = 0;
    let ended = 0;
    const courier = started({
      async send() {
        begun += 1;
        await sleep(200);
        ended += 1;
        return 'sent';
      },
    });
    await until('a mail is under way', () => begun === 1);
    await courier.stop();
    expect([begun, ended]).toEqual([1, 1]);
    courier.wake();
    await sleep(100);
    expect(begun).toBe(1);
    expect(await office.rows()).toHaveLength(1);
  });

  test('whose courier died are taken over when its claim ends', async () => {
    await office.post({ kind: 'verify', to: { account: BEN.id } });
    const dead = started({ send: () => new Promise(() => undefined) });
    await until('a claim', async () => Number((await office.rows())[0]?.['attempts']) === 1);
    couriers = couriers.filter((courier) => courier !== dead);
    office.now += 5 * MINUTE - 1;
    const courier = started();
    await sleep(100);
    expect(await office.rows()).toEqual([expect.objectContaining({ attempts: 1 })]);
    office.now += 1;
    courier.wake();
    await outboxIsEmpty();
    expect(server.received).toHaveLength(1);
  });
});

describe('without a mail server', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ listen: false });
  });
  afterAll(async () => {
    await service.close();
  });

  /** The mails that are written meanwhile. */
  const writtenDuring = async (work: () => Promise<void>): Promise<string[]> => {
    const folder = join(service.dataDir, 'mail');
    const names = () => readdir(folder).catch((): string[] => []);
    const before = await names();
    await work();
    return (await names())
      .filter((name) => !before.includes(name))
      .map((name) => join(folder, name));
  };

  test('each mail is a file that only this user can read, and is logged', async () => {
    const office = openPostOffice(service);
    const [file = '', ...others] = await writtenDuring(async () => {
      await office.post({ kind: 'invite', to: { account: ANA.id } });
      const courier = office.courier();
      courier.start();
      await until('the outbox is empty', async () => (await office.rows()).length === 0);
      await courier.stop();
    });
    expect(others).toEqual([]);
    expect(file).toMatch(/\/\d{8}T\d{9}Z-[0-9a-f]{8}\.eml$/);
    expect([(await stat(dirname(file))).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    const { headers, text } = readMail(await readFile(file, 'latin1'));
    expect(headers).toMatchObject({
      to: 'ana@people.example.org',
      subject: 'Nutrias y más: su invitación',
    });
    expect(secretIn(text)).not.toBe('');
    expect(office.lines).toEqual([`info mail: SMTP_URL is empty; written to ${file}`]);
  });

  test('a mail of the panel is a file, too', async () => {
    const [file = ''] = await writtenDuring(() =>
      service.strapi
        .plugin('email')
        .service<{ send(mail: object): Promise<void> }>('email')
        .send({ to: 'admin@example.org', subject: 'Reset password', text: 'x', html: 'x' }),
    );
    expect(await readFile(file, 'utf8')).toMatch(/^From: no-reply@localhost\r$/m);
  });
});
