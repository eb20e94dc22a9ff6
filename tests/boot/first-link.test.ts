import { send } from '../helpers/http';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { startProcess, type ServiceProcess } from '../helpers/process';

const LINK = /(\S+)\/first-administrator\?token=([\w-]{43})/;

let database: FreshDatabase;
let running: ServiceProcess | undefined;
beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  running?.child.kill();
  await running?.ended;
});
afterAll(async () => {
  await database?.drop();
});

/** Starts, and gives what was printed. */
async function started(): Promise<{ url: string; origin: string; token: string }> {
  running = await startProcess(database.env);
  const [, origin = '', token = ''] = LINK.exec(running.output()) ?? [];
  return { url: running.url, origin, token };
}

const page = async (url: string, token: string): Promise<number> =>
  (await send(url, { method: 'GET', url: `/first-administrator?token=${token}` })).status;

test('each start without an administrator prints a link of its own, and ends the one before', async () => {
  const first = await started();
  expect(first.origin).toBe(`http://localhost:${running?.port}`);
  expect(await page(first.url, first.token)).toBe(200);
  expect(running?.output()).toContain(`"message":"listening on ${first.url}`);
  running?.child.kill();
  await running?.ended;
  const second = await started();
  expect(second.token).not.toBe(first.token);
  expect(await page(second.url, first.token)).toBe(404);
  expect(await page(second.url, second.token)).toBe(200);
  // Printed once, and in no line of the log.
  expect(running?.output().split(second.token).length).toBe(2);
  expect(running?.errors()).not.toContain(second.token);
});
