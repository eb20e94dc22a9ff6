import { readEnvironment } from './environment';
import { StartError } from '../core/start-error';

describe('the environment', () => {
  test('has a default for everything', () => {
    expect(readEnvironment({})).toMatchObject({
      host: '127.0.0.1',
      port: 1337,
      publicUrl: 'http://localhost:1337',
      frontendUrl: null,
      database: { client: 'sqlite' },
      trustedProxies: [],
      smtpUrl: null,
      administrator: null,
      secret: null,
      logLevel: 'info',
    });
  });

  test('takes an empty value for an absent one', () => {
    expect(readEnvironment({ PORT: '', DATABASE_CLIENT: ' ' })).toEqual(readEnvironment({}));
  });

  test('is typed and without what makes no difference', () => {
    const environment = readEnvironment({
      PORT: '8080',
      FRONTEND_URL: 'https://wildlife.example.org/app/',
      OMS_DATA_DIR: '/var/lib/oms',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      SMTP_URL: 'smtp://mail.example.org:587/?requireTLS=true',
      OMS_ADMIN_EMAIL: 'ana@example.org',
      OMS_ADMIN_PASSWORD: 'a long one, please',
    });
    expect(environment).toMatchObject({
      port: 8080,
      publicUrl: 'http://localhost:8080',
      frontendUrl: 'https://wildlife.example.org/app',
      database: { client: 'sqlite', file: '/var/lib/oms/db.sqlite' },
      trustedProxies: ['10.0.0.0/8', '::1'],
      smtpUrl: 'smtp://mail.example.org:587/?requireTLS=true',
      administrator: { email: 'ana@example.org', password: 'a long one, please' },
    });
  });

  test.each([
    ['PORT', 'abc', 'PORT="abc" is not a whole number from 0 to 65535.'],
    ['PORT', '65536', 'PORT="65536" is not a whole number from 0 to 65535.'],
    ['PORT', '1e3', 'PORT="1e3" is not a whole number from 0 to 65535.'],
    ['PORT', '-1', 'PORT="-1" is not a whole number from 0 to 65535.'],
    ['HOST', 'a b', /^HOST="a b" is not an address/],
    [
      'PUBLIC_URL',
      'oms.example.org',
      /^PUBLIC_URL="oms.example.org" is not an http or https address/,
    ],
    ['PUBLIC_URL', 'https://oms.example.org/api', /without a path/],
    ['PUBLIC_URL', 'ftp://oms.example.org', /^PUBLIC_URL=/],
    ['FRONTEND_URL', 'javascript:alert(1)', /^FRONTEND_URL=/],
    ['DATABASE_CLIENT', 'mysql', 'DATABASE_CLIENT="mysql" is not sqlite or postgres.'],
    ['DATABASE_CLIENT', 'postgres', /^DATABASE_CLIENT="postgres" requires DATABASE_URL/],
    [
      'LIMIT_READS',
      '1000000000',
      'LIMIT_READS="1000000000" is not a whole number up to 999999999, 0 for no limit.',
    ],
    ['TRUSTED_PROXIES', '10.0.0.0/33', /^TRUSTED_PROXIES=/],
    ['TRUSTED_PROXIES', '0.0.0.0/0', /^TRUSTED_PROXIES=/],
    ['TRUSTED_PROXIES', 'proxy', /^TRUSTED_PROXIES=/],
    ['OMS_ADMIN_EMAIL', 'ana', 'OMS_ADMIN_EMAIL="ana" is not an e-mail address.'],
    ['OMS_ADMIN_EMAIL', 'ana@example.org', /^OMS_ADMIN_EMAIL requires OMS_ADMIN_PASSWORD/],
    ['OMS_ADMIN_PASSWORD', 'a long one, please', /^OMS_ADMIN_PASSWORD requires OMS_ADMIN_EMAIL/],
    ['MAP_TILES_ATTRIBUTION', 'somebody', /^MAP_TILES_URL and MAP_TILES_ATTRIBUTION need each/],
    ['MAP_TILES_URL', 'https://tile.example.org/{z}/{x}/{y}.png', /need each other/],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL="loud" is not one of error, warn, info, debug, silent.'],
  ])('refuses %s=%s in one line', (name, value, message) => {
    const read = (): unknown => readEnvironment({ [name]: value });
    expect(read).toThrow(StartError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/\n/);
  });

  test('takes the address of a PostgreSQL for a choice of it, and no contradiction', () => {
    const url = 'postgres://oms:hush@localhost/oms';
    expect(readEnvironment({ DATABASE_URL: url }).database).toEqual({ client: 'postgres', url });
    const read = (): unknown => readEnvironment({ DATABASE_CLIENT: 'sqlite', DATABASE_URL: url });
    expect(read).toThrow(/^DATABASE_CLIENT="sqlite" and DATABASE_URL, .* contradict each other/);
    expect(read).not.toThrow('hush');
  });

  test.each([
    ['DATABASE_URL', 'mysql://root:hush@localhost/oms'],
    ['SMTP_URL', 'hush.example.org:587'],
    ['SMTP_URL', 'https://ana:hush@example.org'],
    ['SMTP_URL', 'smtp://'],
    // A # that is not written as %23 cuts a password off.
    ['SMTP_URL', 'smtp://ana:hu#sh@mail.example.org'],
    ['OMS_ADMIN_PASSWORD', 'hush'],
    ['OMS_SECRET', 'hush'],
    ['MAP_TILES_URL', 'https://tile.example.org/{z}/{x}.png?key=hush'],
    ['MAP_TILES_URL', "https://tile.example.org/{z}/{x}/{y}.png?key=hush; script-src '*'"],
    ['MAP_TILES_URL', 'https://{s}.hush.example.org/{z}/{x}/{y}.png'],
  ])('does not show a wrong %s', (name, value) => {
    const read = (): unknown => readEnvironment({ [name]: value });
    expect(read).toThrow(new RegExp(`^${name} is not`));
    expect(read).not.toThrow('hush');
  });
});
