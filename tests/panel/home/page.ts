import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { service as itself } from '#app/core/caller';
import { objectsOf } from '#app/plugins/objects/server';
import { actingFor, newAccount, type TestAccount } from '../../helpers/accounts';
import { seriousViolations } from '../../helpers/axe';
import { newContext, signIn } from '../../helpers/browser';
import { send } from '../../helpers/http';
import type { Json } from '../../helpers/json';
import type { TestService } from '../../helpers/service';
import { until } from '../../helpers/until';

interface Stage {
  readonly browser: Browser;
  /** Of a moderator who is signed in. */
  readonly page: Page;
  readonly moderator: TestAccount;
  readonly service: TestService;
}

/** `/admin`, on a service that asks for reviews, takes reports without an account, and has no records yet. */
export function testHome(stage: () => Stage): void {
  const write = (change: Json, by = itself): Promise<{ readonly id: string }> =>
    objectsOf(stage().service.strapi).write(change as never, by);
  const make = async (type: string, body: Json, by = itself): Promise<string> =>
    (await write({ op: 'create', type, body }, by)).id;
  const card = (page: Page, name: string): Locator => page.getByRole('region', { name });
  const linesOf = (one: Locator): Promise<readonly string[]> =>
    one.getByRole('listitem').allInnerTexts();

  test('says what waits, of whom and since when, and what others have changed', async () => {
    const { page, moderator, service } = stage();
    await page.goto(`${service.url}/admin`);
    await card(page, 'Waiting for a review').getByText('Nothing waits').waitFor();
    await card(page, 'Changed by others')
      .getByText(/^Nobody else has changed/)
      .waitFor();

    const reporter = await newAccount(service, 'user');
    const colleague = await newAccount(service, 'moderator');
    const [theirs, me] = [
      await actingFor(service, reporter.id, reporter.name),
      await actingFor(service, moderator.id, moderator.name),
    ];
    const taxonomy = await make('taxonomy', { scientific_name: 'Panthera leo' });
    for (const time of ['2020-01', '2020-02']) await make('encounter', { time }, theirs);
    const report = { method: 'POST', url: '/api/v0/encounter', body: { remarks: 'a report' } };
    expect((await send(service.url, report)).status).toBe(200);
    // Approved by a colleague, and changed by its owner afterwards; another one was changed before.
    const approved = await make('encounter', { time: '2020-03', taxonomy }, theirs);
    const before = await make('encounter', { time: '2020-04' }, theirs);
    const update = (id: string, locality: string) =>
      ({ op: 'update', type: 'encounter', id, body: { locality } }) as const;
    await write(update(before, 'Lobo'), theirs);
    const review = { op: 'act', type: 'encounter', action: 'review', body: { state: 'approved' } };
    const reviewer = await actingFor(service, colleague.id, colleague.name);
    for (const id of [approved, before]) await write({ ...review, id }, reviewer);
    await write(update(approved, 'Seronera'), theirs);
    // What the moderator does itself is no news.
    const own = await make('individual', { remarks: 'mine' }, me);
    await write({ op: 'update', type: 'individual', id: own, body: { remarks: 'still' } }, me);

    await page.reload();
    const waiting = card(page, 'Waiting for a review');
    await waiting.getByText('3 records wait').waitFor();
    await waiting.getByText(/^The oldest came in/).waitFor();
    expect(await linesOf(waiting)).toEqual([
      expect.stringMatching(new RegExp(`^${reporter.name}\\s+2$`)) as string,
      expect.stringMatching(/^Without an account\s+1$/) as string,
    ]);
    await card(page, 'Reports without an account today').getByText('1', { exact: true }).waitFor();
    expect(await linesOf(card(page, 'Changed by others'))).toEqual([
      expect.stringMatching(
        new RegExp(`^Encounter Panthera leo · 2020-03\\s+changed by ${reporter.name}`),
      ) as string,
      expect.stringMatching(
        new RegExp(`^Encounter 2020-04\\s+reviewed by ${colleague.name}`),
      ) as string,
    ]);
    const after = card(page, 'Changed after their approval');
    expect(await linesOf(after)).toEqual([
      expect.stringMatching(/^Encounter Panthera leo · 2020-03\s+changed by/) as string,
    ]);
    expect(await seriousViolations(page)).toEqual([]);
    // What runs the service is not for moderators.
    expect(await card(page, 'The service').count()).toBe(0);

    await after.getByRole('link').click();
    await page.waitForURL(new RegExp(`api::encounter.encounter/${approved}`));
    await page.goBack();
    await waiting.getByRole('link', { name: 'Without an account' }).click();
    await page.waitForURL(/\/review\?owner=null/);
    await page.getByText('1 record waits').waitFor();
    await page.getByText('Without an account only').waitFor();
  });

  test('says to an administrator how the service is, tries the mail server, and blocks an account', async () => {
    const { browser, service } = stage();
    const heavy = await newAccount(service, 'user');
    const limit = { id: 'e1', type: 'limit', object: 'reads', version: 0, action: 'exceed' };
    await service.strapi.db.connection('oms_history').insert({
      ...{ ...limit, at: Date.now(), changes: '[]' },
      ...{ actor_kind: 'user', actor_id: heavy.id, actor_name: heavy.name },
    });
    const administrator = await newAccount(service, 'administrator');
    const context = await newContext(browser, { viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await signIn(page, service.url, administrator);
    const state = card(page, 'The service');
    await state.getByText('Database: it can be written.').waitFor();
    await state.getByText(/^Look: Mail: .*There is no mail server/).waitFor();
    await state.getByText(/^Look: Backup: none was made\. None is scheduled/).waitFor();
    await state.getByText(/^Room: .* are free, \d+%\.$/).waitFor();

    await state.getByRole('button', { name: 'Send a test mail' }).click();
    const told = `There is no mail server: the mail to ${administrator.email} is a file in the data directory.`;
    await state.getByText(told).waitFor();
    const mails = join(service.dataDir, 'mail');
    expect(readdirSync(mails).filter((name) => name.endsWith('.eml'))).toHaveLength(1);

    const limits = card(page, 'Who met a limit');
    await limits.getByText(`${heavy.name} – reads`).waitFor();
    await limits.getByRole('button', { name: `Block ${heavy.name}` }).click();
    await limits.getByText('blocked', { exact: true }).waitFor();
    await until('the block', async () => {
      const user = await objectsOf(service.strapi).read('user', heavy.id, itself);
      return (JSON.parse(user.text) as Json & { blocked?: boolean }).blocked === true;
    });
    expect(await seriousViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });
}
