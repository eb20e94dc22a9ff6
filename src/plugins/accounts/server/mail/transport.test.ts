import { createTransport } from 'nodemailer';
import { emailPlugin } from './transport';

const optionsOf = (smtpUrl: string): object => {
  const { providerOptions } = emailPlugin({
    smtpUrl,
    dataDir: '/var/lib/oms',
    publicUrl: 'https://oms.example.org',
  });
  return createTransport(providerOptions).options;
};

test('a mail server is what SMTP_URL says, and none may keep silent for long', () => {
  expect(
    optionsOf('smtps://ana%40example.org:p%23%2Fss%3A%40@mail.example.org:4465'),
  ).toMatchObject({
    host: 'mail.example.org',
    port: 4465,
    secure: true,
    auth: { user: 'ana@example.org', pass: 'p#/ss:@' },
    dnsTimeout: 10_000,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  });
});

test('SMTP_URL may say more', () => {
  expect(
    optionsOf('smtp://mail.example.org?requireTLS=true&socketTimeout=60000&tls.servername=mx'),
  ).toMatchObject({
    host: 'mail.example.org',
    secure: false,
    requireTLS: true,
    socketTimeout: 60_000,
    connectionTimeout: 10_000,
    tls: { servername: 'mx' },
  });
});
