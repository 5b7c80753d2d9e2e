import { expect, it } from 'vitest';
import { hostAddress } from './host-address.ts';

it('reads origin and base path of an address', () => {
  expect(hostAddress(' https://build.example:4711 ')).toEqual({ url: 'https://build.example:4711/' });
  expect(hostAddress('https://build.example/agents')).toEqual({ url: 'https://build.example/agents/' });
});

it('takes the token out of a link that a host printed', () => {
  expect(hostAddress('http://127.0.0.1:4711/#token=abc')).toEqual({
    url: 'http://127.0.0.1:4711/',
    token: 'abc',
  });
  expect(hostAddress('http://127.0.0.1:4711/?token=abc')).toEqual({
    url: 'http://127.0.0.1:4711/',
    token: 'abc',
  });
});

it('takes HTTP addresses only', () => {
  expect(hostAddress('build.example')).toBeUndefined();
  expect(hostAddress('javascript:alert(1)')).toBeUndefined();
  expect(hostAddress('http://')).toBeUndefined();
});
