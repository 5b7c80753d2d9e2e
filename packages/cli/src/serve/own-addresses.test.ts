import { expect, test } from 'vitest';
import { addressesElsewhere } from './own-addresses.ts';

const at = (address: string, family: 'IPv4' | 'IPv6', internal = false, scopeid = 0) => ({
  ...{ address, internal, netmask: '', mac: '', cidr: null },
  ...(family === 'IPv4' ? { family } : { family, scopeid }),
});
const interfaces = {
  lo: [at('127.0.0.1', 'IPv4', true), at('::1', 'IPv6', true)],
  eth0: [at('192.0.2.7', 'IPv4'), at('2001:db8::7', 'IPv6'), at('fe80::7', 'IPv6', false, 2)],
};

test.each([
  ['0.0.0.0', ['https://192.0.2.7:4711']],
  ['::', ['https://192.0.2.7:4711', 'https://[2001:db8::7]:4711']],
  ['192.0.2.7', ['https://192.0.2.7:4711']],
  ['2001:db8::7', ['https://[2001:db8::7]:4711']],
  ['127.0.0.1', []],
  ['::1', []],
])('what listens on %s is reached from other machines by %j', (host, addresses) => {
  expect(addressesElsewhere(host, 'https://127.0.0.1:4711', interfaces)).toEqual(addresses);
});
