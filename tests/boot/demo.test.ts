// @long
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { at, type Json } from '../helpers/json';
import { runScript, type ServiceProcess } from '../helpers/process';
import { change, JSON_TYPE, nameIn, objectOf, people, post, read, type People } from './demo/calls';
import { collectExamples } from './demo/examples';
import { accountsIn, commandsIn, elephantIn, placesIn, printedBy, tableIn } from './demo/output';

/** Written by this test where `OMS_EXAMPLES` is `write`. */
const EXAMPLES = {
  calls: join(__dirname, '../../src/endpoints/openapi/examples.json'),
  refusals: join(__dirname, '../../src/endpoints/openapi/refusal-examples.json'),
} as const;

const PANEL = join(__dirname, '..', '..', 'dist', 'build', 'index.html');

/** What a service that is no demo is told: none of it counts. */
const ANOTHER = {
  DATABASE_CLIENT: 'postgres',
  DATABASE_URL: 'postgres://root@127.0.0.1:1/none',
  SMTP_URL: 'smtp://127.0.0.1:1',
  OMS_ADMIN_EMAIL: 'ana@example.org',
  OMS_ADMIN_PASSWORD: 'a long one, please',
};

/** Several starts, the first of which builds and imports. */
jest.setTimeout(400_000);

describe('the demo', () => {
  let dataDir: string;
  let service: ServiceProcess;
  let members: People;
  /** By the start, without what is logged later. */
  let printed: string;
  const demo = (): string => join(dataDir, 'demo');

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'oms demo '));
    mkdirSync(demo(), { mode: 0o700 });
    for (const name of ['db.sqlite', 'passwords.json', 'left'])
      writeFileSync(join(demo(), name), '{');
    service = await welcomed({}, '--fresh');
    printed = service.output();
    members = await people(service);
  });
  afterAll(async () => {
    if (service.child.exitCode === null) await stop(service);
    rmSync(dataDir, { recursive: true });
  });

  test('has begun anew', () => {
    expect(readdirSync(demo())).not.toContain('left');
    expect(accountsIn(service)).toHaveLength(4);
  });

  test('has nothing stored that a check finds wrong', async () => {
    const run = await runScript('check', { OMS_DATA_DIR: demo() }, ['--hash']);
    expect([await run.ended, run.errors()]).toEqual([0, '']);
    expect(run.output().match(/: 0$/gm)).toHaveLength(10);
  });

  test('takes reports from anybody and changes from nobody, and is there for frontends of this machine', async () => {
    const report = await post(`${service.url}/api/v0/encounter`, {});
    const { response } = (await report.json()) as { response: { id: string } };
    expect(report.status).toBe(200);
    const change = { method: 'PUT', headers: JSON_TYPE, body: '{}' };
    const url = `${service.url}/api/v0/encounter/${response.id}`;
    expect((await fetch(url, change)).status).toBe(401);
    expect((await post(`${service.url}/api/v0/taxonomy`, {})).status).toBe(401);
    const allowed: Record<string, string | null> = {};
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'http://localhost.example.org',
      'https://stranger.example',
    ])
      allowed[origin] = (await fetch(url, { headers: { Origin: origin } })).headers.get(
        'access-control-allow-origin',
      );
    expect(allowed).toEqual({
      'http://localhost:5173': 'http://localhost:5173',
      'http://127.0.0.1:3000': 'http://127.0.0.1:3000',
      'http://localhost.example.org': null,
      'https://stranger.example': null,
    });
  });

  test('has two orgs, whose people have different roles and whose records name them', async () => {
    const named = (id: unknown): unknown => nameIn(members, id);
    const orgs: Json[] = [];
    for (const id of at(members['user']?.user, 'organizations') as string[])
      orgs.push(objectOf(await read(service, `org/${id}`)));
    expect(
      orgs.map((org) => ({
        name: org['name'],
        website: org['website'],
        owner: named(org['owner']),
        managers: (org['managers'] as string[]).map(named),
        members: (org['members'] as string[]).map(named),
      })),
    ).toEqual([
      {
        name: 'Snapshot Serengeti',
        website: 'https://www.snapshotserengeti.org',
        owner: 'user',
        managers: ['user'],
        members: ['user', 'moderator'],
      },
      {
        name: 'MICA',
        website: 'https://lifemica.eu',
        owner: 'colleague',
        managers: ['colleague', 'moderator'],
        members: ['colleague', 'moderator', 'user'],
      },
    ]);
    const logo = await fetch(`${service.url}${String(orgs[0]?.['logo_id'])}`);
    expect(logo.headers.get('content-type')).toBe('image/webp');
    for (const [at, name, region] of [
      [0, 'user', 'serengeti'],
      [1, 'colleague', 'flanders'],
    ] as const) {
      const owned = members[name]?.user['encounters'] as string[];
      expect(owned.length).toBeGreaterThan(8);
      for (const id of owned)
        expect(
          objectOf(await read(service, `encounter/${id}`, members['moderator'])),
        ).toMatchObject({ location_id: region, organizations: [orgs[at]?.['id']] });
    }
  });

  test('has a collaboration that both sides see as accepted, and one that waits', async () => {
    const seenBy = async (name: string): Promise<unknown[]> => {
      const found = await read(service, 'search/collaboration', members[name]);
      const objects: unknown[] = [];
      for (const id of at(found, 'matches') as string[]) {
        const one = objectOf(await read(service, `collaboration/${id}`, members[name]));
        const [from, to] = [nameIn(members, one['from']), nameIn(members, one['to'])];
        objects.push(`${from} to ${to}: ${String(one['state'])}, ${String(one['level'])}`);
      }
      return objects.sort();
    };
    const [waiting, accepted] = [
      'moderator to user: pending, edit',
      'user to colleague: accepted, view',
    ];
    expect(await seenBy('user')).toEqual([waiting, accepted]);
    expect(await seenBy('colleague')).toEqual([accepted]);
    expect(members['user']?.user['collaborators']).toEqual([members['colleague']?.id]);
    expect(members['colleague']?.user['collaborators']).toEqual([members['user']?.id]);
  });

  test('lets the doctor count beside it what it hides, by the settings that do', async () => {
    const doctor = await runScript('doctor', { OMS_DATA_DIR: demo() });
    expect([await doctor.ended, doctor.errors()]).toEqual([0, '']);
    const [hidden, all] = (doctor.output().match(/\d+/g) ?? []).map(Number);
    const found = await read(service, 'search/encounter?count=exact&limit=1', members['moderator']);
    expect(all).toBe(at(found, 'response', 'total'));
    expect(hidden).toBeGreaterThan(0);
    expect(doctor.output()).toMatch(
      /protect_unidentified.*show_owner_when_hidden.*tell_hidden.*hidden_tells/s,
    );
    const help = await runScript('doctor', {}, ['--help']);
    expect([await help.ended, help.output().split('\n')[0]]).toEqual([0, 'Usage: npm run doctor']);
  });

  test('has a search of it explained beside it: its statements, with what the database does', async () => {
    const explain = async (...args: readonly string[]) => {
      const script = await runScript('explain', { OMS_DATA_DIR: demo() }, args);
      return [await script.ended, script.output(), script.errors()];
    };
    const query = 'country_code=TZ&sort=-time';
    const [code, told, errors] = await explain('encounter', query, '--as', 'anonymous');
    expect([code, errors]).toEqual([0, '']);
    expect(told).toMatch(
      /^type: encounter\nconditions: country_code\norder: -time\n[^]*\n-- (?:beside reads|apart)\n/,
    );
    // The guard of waiting jobs is in what a stranger's search asks, and the plan names an index.
    expect(told).toMatch(/oms_privacy_jobs[^]*\n {3,}SEARCH s USING INDEX oms_search_encounters_/);
    const moderator = await explain('encounter', query);
    expect(moderator).toEqual([0, expect.not.stringContaining('oms_privacy_jobs'), '']);
    expect(await explain('encounter', 'sort=none')).toEqual([1, '', expect.any(String)]);
    expect(await explain('rhino')).toEqual([1, '', 'There is no type "rhino".\n']);
  });

  test('answers the calls of the examples in the OpenAPI document as these say', async () => {
    const found = await collectExamples(service, members);
    for (const part of ['calls', 'refusals'] as const) {
      const text = `${JSON.stringify(found[part], null, 2)}\n`;
      if (process.env['OMS_EXAMPLES'] === 'write') writeFileSync(EXAMPLES[part], text);
      expect(found[part]).toEqual(JSON.parse(readFileSync(EXAMPLES[part], 'utf8')));
    }
  });

  test('shows what is told of an elephant without an account, and what to its owner', async () => {
    const url = elephantIn(service);
    const anonymous = {
      latitude: -2.3,
      longitude: 34.9,
      coordinate_uncertainty: 100_000,
      location_id: 'serengeti',
      time: '2013-02',
      generalized: 'obscured',
    };
    const exact = {
      ...anonymous,
      latitude: -2.3333,
      longitude: 34.8333,
      time: '2013-02-23T18:47:46+03:00',
      locality: 'Serengeti National Park',
      generalized: null,
    };
    const asked = async (name?: string): Promise<Json> =>
      objectOf(await read(service, url, name === undefined ? undefined : members[name]));
    expect([await asked(), tableIn(service, 1)]).toEqual([anonymous, anonymous]);
    expect([await asked('user'), tableIn(service, 0)]).toEqual([exact, exact]);
    // By their collaboration.
    expect(await asked('colleague')).toEqual(exact);
    const answers = await printedBy(commandsIn(service));
    expect(answers.map(objectOf)).toEqual([anonymous, exact]);
    // An export on behalf of an account has what the account sees.
    const out = join(dataDir, 'elephant.csv');
    const [id = ''] = /[\da-f-]{36}/.exec(url) ?? [];
    for (const [as, shown] of [
      ['anonymous', false],
      ['user@example.org', true],
    ] as const) {
      const args = ['--out', out, '--format', 'csv', '--as', as, `id=${id}`];
      const script = await runScript('export', { OMS_DATA_DIR: demo() }, args);
      expect([await script.ended, script.errors()]).toEqual([0, '']);
      const table = readFileSync(out, 'utf8');
      expect(table).toContain(id);
      expect(table.includes('Serengeti National Park')).toBe(shown);
      rmSync(out);
    }
  });

  test('prints where to begin', async () => {
    const accounts = accountsIn(service);
    expect(accounts.map(({ email }) => email)).toEqual([
      'administrator@example.org',
      'moderator@example.org',
      'user@example.org',
      'colleague@example.org',
    ]);
    const statuses: number[][] = [];
    for (const { email, password } of accounts) {
      const panel = await post(`${service.url}/admin/login`, { email, password });
      const api = await post(`${service.url}/api/v0/login`, { username: email, password });
      statuses.push([panel.status, api.status]);
    }
    expect(statuses).toEqual([
      [200, 200],
      [200, 200],
      [400, 200],
      [400, 200],
    ]);
    expect(printed).not.toContain('first-administrator');
    expect(printed).toContain(join(demo(), 'mail'));
    const [, all, general] =
      /Of (\d+) records visitors are told (\d+) in general terms/.exec(printed) ?? [];
    expect(Number(general)).toBeGreaterThan(0);
    expect(Number(general)).toBeLessThan(Number(all));
    expect(printed).toContain('(tell_hidden: at_once)');
    const addresses = (printed.match(/http:[^\s']+(?='?$)/gm) ?? []).filter(
      (address) => !address.endsWith('/admin') || existsSync(PANEL),
    );
    expect(addresses.length).toBeGreaterThan(4);
    const own = `http://localhost:${service.port}/`;
    expect(addresses.filter((address) => !address.startsWith(own))).toEqual([]);
    for (const address of addresses)
      expect([address, (await fetch(address)).status]).toEqual([address, 200]);
  });

  test('prints its accounts again at the next start, and keeps what has been changed', async () => {
    const { taxonomy } = objectOf(await read(service, `${elephantIn(service)},taxonomy`));
    const taxon = `taxonomy/${String(taxonomy)}`;
    await change(service, 'moderator', taxon, { location_privacy: 'private' });
    await change(service, 'administrator', 'site_settings', { readers: 'users' });
    await stop(service);
    expect(readdirSync(dataDir)).toEqual(['demo']);
    expect(statSync(join(demo(), 'passwords.json')).mode & 0o777).toBe(0o600);

    const PUBLIC_URL = 'https://demo.example.org';
    const second = await welcomed({ PUBLIC_URL });
    expect(accountsIn(second)).toEqual(accountsIn(service));
    expect(second.output()).toContain(`  Admin panel   ${PUBLIC_URL}/admin\n`);
    expect(second.output()).not.toMatch(/localhost|127\.0\.0\.1/);
    expect(second.output()).toContain('without an account: 401 API_RESPONSE_LOGIN_REQUIRED\n');
    expect(placesIn(second)).toEqual(placesIn(service));
    expect(objectOf(await read(second, taxon))['location_privacy']).toBe('private');
    const moderator = (await people(second))['moderator'];
    const collaborations = await read(second, 'search/collaboration', moderator);
    expect(at(collaborations, 'matches')).toHaveLength(2);
    expect(at(moderator?.user, 'organizations')).toHaveLength(2);
    await refusesFresh();
    await stop(second);
  });

  async function refusesFresh(): Promise<void> {
    const other = await runScript('demo', { OMS_DATA_DIR: dataDir, ...ANOTHER }, ['--fresh']);
    expect(await other.ended).toBe(1);
    expect(other.errors()).toContain('is in use by another process');
  }

  async function welcomed(
    env: Readonly<Record<string, string>> = {},
    ...args: string[]
  ): Promise<ServiceProcess> {
    const service = await runScript('demo', { OMS_DATA_DIR: dataDir, ...ANOTHER, ...env }, args);
    for (let waited = 0; !service.output().includes('Stop it with'); waited += 100) {
      if (service.child.exitCode !== null || waited > 300_000) throw new Error(service.errors());
      await sleep(100);
    }
    expect(service.errors()).toBe('');
    return service;
  }

  async function stop(service: ServiceProcess): Promise<void> {
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  }
});
