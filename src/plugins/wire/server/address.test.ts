import type { IncomingMessage } from 'node:http';
import { compile } from 'proxy-addr';
import { addressOf, hostOf, Networks, networkOf } from './address';

const request = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

const PROXIES = ['10.0.0.0/8', '::1', '2001:db8:ffff::/48'];

describe('the address of a client', () => {
  test.each<[string, readonly string[], string | undefined, string | undefined, string]>([
    ['is that of the connection', PROXIES, '203.0.113.7', undefined, '203.0.113.7'],
    ['is no header of a stranger', PROXIES, '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['is no header where nobody is trusted', [], '10.1.2.3', '198.51.100.1', '10.1.2.3'],
    ['is what a trusted proxy reports', PROXIES, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    [
      'is what the outermost trusted proxy reports, not what its client claims',
      PROXIES,
      '10.1.2.3',
      '192.0.2.66, 198.51.100.1, 10.9.9.9',
      '198.51.100.1',
    ],
    ['goes through IPv6 proxies', PROXIES, '::1', '2001:db8::5, 2001:db8:ffff::9', '2001:db8::5'],
    ['is IPv4 in an IPv6 socket', PROXIES, '::ffff:10.1.2.3', '::ffff:192.0.2.9', '192.0.2.9'],
    ['has no zone', PROXIES, 'fe80::1%eth0', undefined, 'fe80::1'],
    ['has one spelling', PROXIES, '10.1.2.3', '2001:DB8:0::0:5', '2001:db8::5'],
    ['is the proxy that reports rubbish', PROXIES, '10.1.2.3', 'rubbish', '10.1.2.3'],
    ['is the proxy that reports nothing', PROXIES, '10.1.2.3', '', '10.1.2.3'],
    ['is the inner proxy whose report stands', PROXIES, '::1', 'x, 10.1.1.1', '10.1.1.1'],
    ['is no number that could pass for one', PROXIES, '10.1.2.3', '0x7f.1', '10.1.2.3'],
    ['is unspecified when the connection is gone', PROXIES, undefined, undefined, '0.0.0.0'],
  ])('%s', (_, proxies, remote, forwarded, expected) => {
    expect(addressOf(request(remote, forwarded), compile([...proxies]))).toBe(expected);
  });

  test('is there whatever the header holds', () => {
    const trust = compile(PROXIES);
    const headers = [
      ',,,',
      ' , 10.0.0.1 ,',
      '1.2.3.4:80',
      '[::1]:80',
      '::%',
      '999.1.1.1',
      '%00',
      'a'.repeat(8000),
    ];
    for (const header of headers)
      expect(addressOf(request('10.1.2.3', header), trust)).toMatch(/^10\.\d+\.\d+\.\d+$/);
  });

  test('warns once when a proxy seems to stand before it, and none is trusted', () => {
    const warn = jest.fn();
    const networks = new Networks([], warn);
    networks.networkOf(request('10.1.2.3'));
    expect(warn).not.toHaveBeenCalled();
    networks.networkOf(request('10.1.2.3', '198.51.100.1'));
    networks.networkOf(request('10.1.2.3', '198.51.100.2'));
    expect(warn.mock.calls).toEqual([[expect.stringContaining('TRUSTED_PROXIES')]]);
    const trusting = jest.fn();
    new Networks(PROXIES, trusting).networkOf(request('203.0.113.7', '198.51.100.1'));
    expect(trusting).not.toHaveBeenCalled();
  });
});

test.each([
  ['203.0.113.255', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2ff:a:b:c:d', '2001:db8:1:200::/56'],
  ['2001:db8:1:300::1', '2001:db8:1:300::/56'],
  ['::1', '::/56'],
  ['fe80::1%eth0', 'fe80::/56'],
  ['0.0.0.0', '0.0.0.0/24'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
  expect(new Networks([], () => undefined).networkOf(request(address))).toBe(network);
});

test.each([
  ['203.0.113.255', '203.0.113.255'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2ff:a:b:c:d', '2001:db8:1:200::/56'],
])('the host of %s is %s', (address, host) => {
  expect(hostOf(address)).toBe(host);
});

test('a proxy is trusted by its address or its network', () => {
  const networks = new Networks(PROXIES, () => undefined);
  const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '::1', '11.1.2.3', '::2'];
  expect(addresses.filter((address) => networks.isTrusted(address))).toEqual([
    '10.1.2.3',
    '::ffff:10.1.2.3',
    '::1',
  ]);
});
