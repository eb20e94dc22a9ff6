import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, type FreshDatabase } from '../helpers/database';
import { startProcess } from '../helpers/process';

describe('a signal', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s lets the request under way finish, takes no new one, and ends with code 0',
    async (signal) => {
      const service = await startProcess(database.env);
      const idle = connect(service.port, '127.0.0.1');
      await once(idle, 'connect');

      const body = JSON.stringify({ email: 'nobody@example.org', password: 'wrong' });
      const slow = request(`${service.url}/admin/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
      });
      const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
      slow.write(body.slice(0, 10));
      await sleep(300);

      service.child.kill(signal);
      await sleep(500);
      expect(service.child.exitCode).toBeNull();
      await expect(fetch(`${service.url}/_health`)).rejects.toThrow();

      slow.end(body.slice(10));
      const [answer] = await answered;
      expect(answer.statusCode).toBe(400);
      answer.resume();
      expect(await service.ended).toBe(0);
      idle.destroy();
    },
  );
});
