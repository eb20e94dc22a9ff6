import { createReports, each, pages, type Client } from '@oms/client';
import { createOutbox, memoryStore, type Outbox, type OutboxStore } from '@oms/client/outbox';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cut } from '../../helpers/client/cutter';
import { memoryStorage, photographFile, type ClientService } from '../../helpers/client/service';
import { createRandom } from '../../helpers/random';

/** How much is sent: with OMS_CLIENT=long what `npm run endure:client` promises. */
const LONG = { reports: 500, photographs: 200, restarts: 8 };
const SHORT = { reports: 10, photographs: 4, restarts: 1 };
const {
  reports: REPORTS,
  photographs: PHOTOGRAPHS,
  restarts: RESTARTS,
} = process.env['OMS_CLIENT'] === 'long' ? LONG : SHORT;
const SEED = Number(process.env['OMS_CLIENT_SEED'] ?? 20260309);

/** The share of requests that are cut. */
const CUT = 0.25;

/** Milliseconds after which a page is closed at the latest; later in each pass, so that a busy machine gets to the end, too. */
const PAGE = 1500;
const LATER = 500;

/** Milliseconds that a client waits for an answer. */
const TIMEOUT = 6000;

/** Milliseconds for the whole test. */
const MAX_TIME = Math.max(180_000, REPORTS * 3000);

/** Reports by an account and without one, with photographs, over a network that breaks everywhere, to a service that is killed. */
export function testEndurance(service: () => ClientService): void {
  const { next: random } = createRandom(SEED);

  const cut = (): Cut | null => {
    if (random() >= CUT) return null;
    const bytes = Math.floor(random() * 1500);
    const all: readonly Cut[] = [
      { at: 'before' },
      { at: 'within request', bytes },
      { at: 'request done' },
      { at: 'within answer', bytes: 1 + Math.floor(bytes / 4) },
      { at: 'answer done' },
    ];
    // Silence costs its time.
    if (random() < 0.04) return { at: 'silent' };
    return all[Math.floor(random() * all.length)] ?? null;
  };

  test(
    `${REPORTS} reports and ${PHOTOGRAPHS} photographs: 0 lost, 0 doubled (OMS_CLIENT_SEED=${SEED})`,
    async () => {
      const tag = randomUUID();
      const ana = await service().member({ timeout: TIMEOUT });
      const visitor = service().connect({ timeout: TIMEOUT });
      const kept = createReports(visitor, memoryStorage());
      const queues = [
        queueOf(ana.client, ana.id, memoryStore()),
        queueOf(visitor, null, memoryStore(), kept),
      ];
      const expected = new Map<string, number>();
      for (let made = 0; made < REPORTS; made += 1) {
        const count = made < PHOTOGRAPHS ? 1 : 0;
        const photographs =
          count === 0 ? [] : [{ file: await photographFile(), fields: fieldsOf(tag) }];
        const body = { tags: [tag], remarks: `${tag} ${made}` };
        const queue = queues[made % queues.length] as Queue;
        expected.set(await queue.page().create('encounter', body, photographs), count);
      }

      const { cutter } = service();
      const cutsBefore = cutter.cuts;
      cutter.plan = cut;
      let restarts = 0;
      let pagesClosed = 0;
      for (let pass = 1; await isAnythingIn(queues); pass += 1) {
        // Each page is closed after a while, whatever is under way then.
        const sendings = queues.map(async (queue) => {
          const closing = new AbortController();
          const life = random() * (PAGE + LATER * (pass - 1));
          const timer = setTimeout(() => closing.abort(), life);
          const { stoppedBy } = await queue.page().send(closing.signal);
          clearTimeout(timer);
          if (stoppedBy !== null && stoppedBy !== 'another account')
            pagesClosed += stoppedBy.key === 'CLIENT_CANCELED' ? 1 : 0;
          queue.reopen();
        });
        if (restarts < RESTARTS && pass % 3 === 1) {
          restarts += 1;
          await sleep(random() * 400);
          await service().restart();
        }
        await Promise.all(sendings);
      }
      const cuts = cutter.cuts - cutsBefore;
      cutter.calm();

      expect(await refusalsOf(queues)).toEqual([]);
      const { found, assets } = await storedWith(await service().administrator(), tag);
      expect(found.size).toBe(REPORTS);
      expect(found).toEqual(expected);
      expect(assets).toBe(PHOTOGRAPHS);
      expect(kept.list()).toHaveLength(Math.floor(REPORTS / 2));
      process.stderr.write(
        `client: ${REPORTS} reports, ${PHOTOGRAPHS} photographs, ${cuts} cuts, ${restarts} kills of the ` +
          `service, ${pagesClosed} pages closed: 0 lost, 0 doubled\n`,
      );
    },
    MAX_TIME,
  );
}

const fieldsOf = (tag: string) => ({ rights_holder: tag, license: 'CC-BY-4.0' as const });

/** A queue whose page may be closed, and opened again on the same store. */
interface Queue {
  page(): Outbox;
  reopen(): void;
}

function queueOf(
  client: Client,
  account: string | null,
  store: OutboxStore,
  reports?: ReturnType<typeof createReports>,
): Queue {
  const open = (): Outbox =>
    createOutbox(client, { account, store, ...(reports ? { reports } : {}) });
  let page = open();
  return {
    page: () => page,
    reopen() {
      page = open();
    },
  };
}

const isAnythingIn = async (queues: readonly Queue[]): Promise<boolean> =>
  (await Promise.all(queues.map((queue) => queue.page().items())))
    .flat()
    .some(({ refusal }) => refusal === null);

const refusalsOf = async (queues: readonly Queue[]): Promise<unknown[]> =>
  (await Promise.all(queues.map((queue) => queue.page().items())))
    .flat()
    .map((item) => item.refusal);

/** What the service has: how many photographs each report with a tag shows, and how many assets there are. */
async function storedWith(
  admin: Client,
  tag: string,
): Promise<{ found: Map<string, number>; assets: number }> {
  const found = new Map<string, number>();
  for await (const { id, assets } of each(admin, 'encounter', { tags: [tag], limit: 1000 })) {
    if (found.has(id)) throw new Error(`${id} is found twice`);
    found.set(id, assets?.length ?? 0);
  }
  let assets = 0;
  for await (const page of pages(admin, 'asset', { rights_holder: [tag], limit: 1000 }))
    assets += page.matches.length;
  return { found, assets };
}
