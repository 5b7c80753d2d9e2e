import { expect, test } from 'vitest';
import { endpointProblem, isAllowedAddress } from './endpoint.ts';

const POLICY = { allowLoopback: false };

test.each([
  'https://fcm.googleapis.com/fcm/send/abc',
  'https://updates.push.services.mozilla.com/wpush/v2/x',
  'https://web.push.apple.com/x',
  'https://8.8.8.8/x',
  'https://[2607:f8b0::1]/x',
])('%s may be an endpoint', (endpoint) => {
  expect(endpointProblem(endpoint, POLICY)).toBeUndefined();
});

test.each([
  'http://push.example.com/x',
  'ftp://push.example.com/x',
  'push.example.com',
  'https://user:secret@push.example.com/x',
  'https://localhost/x',
  'http://localhost/x',
  'https://127.1/x',
  'https://2130706433/x',
  'https://0x7f.0.0.1/x',
  'https://10.0.0.1/x',
  'https://192.168.1.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://100.100.100.200/x',
  'https://[::1]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[fe80::1]/x',
  'https://[fd00::1]/x',
  'https://[64:ff9b::a00:1]/x',
  'https://[2002:a00:1::]/x',
])('%s is no endpoint', (endpoint) => {
  expect(endpointProblem(endpoint, POLICY)).toEqual(expect.any(String));
});

test('loopback is allowed by the option alone, and no other private address with it', () => {
  const tests = { allowLoopback: true };
  expect(endpointProblem('http://127.0.0.1:8080/x', tests)).toBeUndefined();
  expect(endpointProblem('http://localhost:8080/x', tests)).toBeUndefined();
  expect(endpointProblem('http://10.0.0.1/x', tests)).toBeDefined();
  expect(endpointProblem('https://10.0.0.1/x', tests)).toBeDefined();
  expect(isAllowedAddress('127.0.0.1', tests)).toBe(true);
  expect(isAllowedAddress('127.0.0.1', POLICY)).toBe(false);
  expect(isAllowedAddress('no address', tests)).toBe(false);
});
