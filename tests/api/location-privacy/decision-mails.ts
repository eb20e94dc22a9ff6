import { decisionsIn } from '#app/api/encounter/decision-mail';
import type { Mail } from '#app/plugins/accounts/server/mail/compose';
import { asObject, type Json } from '../../helpers/json';
import type { MovedClock } from '../../helpers/moved-clock';
import { bearer, login, makePerson, type Person } from '../../helpers/people';
import { deliverMails } from '../../helpers/post-office';
import { useSettings, type World } from '../../helpers/world';
import { callsOf } from './levels';

const NOW = Date.parse('2051-11-26T10:00Z');

/** The mail of a review: what was decided, and from which date others are told. */
export function testDecisionMails(world: () => World, clock: MovedClock): void {
  const callers: Record<string, Readonly<Record<string, string>>> = { nobody: {} };
  const { make, change, succeed } = callsOf(world, callers);
  let owner: Person;
  let sent: Mail[] = [];

  const at = (seconds: number): void => clock.set(new Date(NOW + seconds * 1000).toISOString());
  const waiting = async (): Promise<unknown[]> =>
    world().service.strapi.db.connection('oms_mails').where({ kind: 'decision' });
  /** Sends what is due. */
  async function deliver(): Promise<Mail[]> {
    sent = [];
    await deliverMails(world().service, {
      decisions: (mail) => decisionsIn(mail, clock.now()),
      transport: {
        send(mail) {
          sent.push(mail);
          return Promise.resolve('sent');
        },
      },
      clock: clock.now,
    });
    expect(await waiting()).toEqual([]);
    return sent.filter(({ subject }) => subject.includes('review'));
  }
  const review = (id: string, state: string, note: string | null = null) =>
    succeed('boss', 'POST', `encounter/${id}/review`, { state, review_note: note });
  const report = async (body: Json): Promise<string> =>
    String(
      asObject(asObject(await succeed('nobody', 'POST', 'encounter', body))['response'])['id'],
    );

  describe('the mail of a review', () => {
    useSettings(world, {
      tell_hidden: 'monthly',
      protect_unidentified: false,
      review_encounters: true,
      anonymous_encounters: true,
    });
    beforeAll(async () => {
      at(0);
      // What other tests have decided.
      const knex = world().service.strapi.db.connection;
      await knex('oms_mail_subjects').del();
      await knex('oms_mails').where({ kind: 'decision' }).del();
      owner = await makePerson(world().service);
      const boss = await makePerson(world().service, { role: 'administrator' });
      callers['owner'] = bearer(await login(world(), owner));
      callers['boss'] = bearer(await login(world(), boss));
    });
    beforeEach(() => at(0));
    afterAll(() => clock.letGo());

    test('gathers what was decided within a minute, with the date from which others are told', async () => {
      const ids = [];
      for (const location_privacy of ['obscured', 'obscured', 'private', null, null, null])
        ids.push(await make('owner', 'encounter', { location_privacy }));
      for (const id of ids.slice(0, 4)) await review(id, 'approved');
      await review(ids[4] ?? '', 'rejected', 'Blurred <b>{{site}}</b>');
      await review(ids[5] ?? '', 'rejected', 'Blurred <b>{{site}}</b>');
      expect(await waiting()).toHaveLength(1);
      at(61);
      const [mail, ...others] = await deliver();
      expect(others).toEqual([]);
      expect(mail?.to.address).toBe(owner.email);
      expect(mail?.text.split('\n\n').slice(1, -1)).toEqual([
        'What you reported at Nutrias y más was reviewed.',
        '1 report was approved, and others can see it.',
        '2 reports were approved. To protect the animals, others are told of them from December 1, 2051 on.',
        '1 report was approved. To protect the animal, others are told of it from January 1, 2052 on.',
        '2 reports were rejected.',
        'The reviewer wrote: Blurred <b>{{site}}</b>',
      ]);
      expect(mail?.html).toContain('Blurred &lt;b&gt;{{site}}');
      const left: unknown[] = await world().service.strapi.db.connection('oms_mail_subjects');
      expect(left).toEqual([]);
    });

    test('goes to the address of a report without an account', async () => {
      const id = await report({
        location_privacy: 'obscured',
        submitter_email: 'Reporter@b\u00fccher.example',
      });
      await review(id, 'approved');
      at(61);
      const mails = await deliver();
      expect(mails).toHaveLength(1);
      expect(mails[0]?.to.address).toMatch(/^Reporter@/);
      expect(mails[0]?.text).toContain('December 1, 2051');
    });

    test('tells the last of several decisions, and none that was taken back or deleted', async () => {
      const [revised, gone] = [
        await make('owner', 'encounter', {}),
        await make('owner', 'encounter', {}),
      ];
      await review(revised, 'rejected', 'no');
      await review(revised, 'approved');
      await review(gone, 'approved');
      await succeed('boss', 'DELETE', `encounter/${gone}`);
      at(61);
      const [mail] = await deliver();
      expect(mail?.text).toContain('1 report was approved, and others');
      expect(mail?.text).not.toMatch(/rejected|wrote/);

      at(0);
      const again = await make('owner', 'encounter', {});
      await review(again, 'rejected');
      await succeed('owner', 'POST', `encounter/${again}/review`, { state: 'pending' });
      at(61);
      expect(await deliver()).toEqual([]);
    });

    test('is sent to nobody who decides over an own report, nor for what needs no review', async () => {
      const own = await make('boss', 'encounter', {});
      await review(own, 'approved');
      const edited = await make('owner', 'encounter', {});
      await change('owner', `encounter/${edited}`, { remarks: 'by the river' });
      at(61);
      expect(await deliver()).toEqual([]);
    });

    test('is not sent to an account that has been deleted meanwhile', async () => {
      const person = await makePerson(world().service);
      callers['leaving'] = bearer(await login(world(), person));
      await review(await make('leaving', 'encounter', {}), 'approved');
      await succeed('boss', 'DELETE', `user/${person.id}`);
      expect(await waiting()).toEqual([]);
      const left: unknown[] = await world().service.strapi.db.connection('oms_mail_subjects');
      expect(left).toEqual([]);
    });
  });
}
