import { expect, test } from 'vitest';
import { extractToken, hashToken, isToken } from './verify.ts';

test.each([
  ['secret', 'secret', true],
  ['secret', 'secreT', false],
  ['secre', 'secret', false],
  ['secrets', 'secret', false],
  ['', 'secret', false],
  [undefined, 'secret', false],
  ['', '', false],
  [undefined, '', false],
])('[AUTH-1] %j against %j is the token: %j', (given, expected, result) => {
  expect(isToken(given, expected)).toBe(result);
});

test.each([
  [{ headers: { authorization: 'Bearer abc' } }, 'abc'],
  [{ headers: { authorization: 'bearer  abc ' } }, 'abc'],
  [{ headers: { authorization: 'Basic abc' } }, undefined],
  [{ headers: { authorization: 'Bearer' } }, undefined],
  [{ headers: { authorization: 'Bearer a b' } }, undefined],
  [{ url: '/ahp?token=a%2Bb', headers: {} }, 'a+b'],
  [{ url: '/ahp?x=1&token=abc#token=no', headers: {} }, 'abc'],
  [{ url: '/?tkn=abc', headers: {} }, 'abc'],
  [{ url: '/?tkn=abc&token=', headers: {} }, ''],
  [{ url: '/ahp', headers: {} }, undefined],
  [{ url: '/token=abc', headers: {} }, undefined],
  [{ headers: { cookie: 'a=b; agenthost_token=abc=; c=d' } }, 'abc='],
  [{ headers: { cookie: 'agenthost_token="abc"' } }, 'abc'],
  [{ headers: { cookie: 'xagenthost_token=abc' } }, undefined],
  [
    { url: '/?token=query', headers: { authorization: 'Bearer header', cookie: 'agenthost_token=cookie' } },
    'header',
  ],
  [{ url: '/?token=query', headers: { cookie: 'agenthost_token=cookie' } }, 'query'],
  [{ url: '/?token=', headers: { cookie: 'agenthost_token=cookie' } }, ''],
  [{ headers: {} }, undefined],
])('[AUTH-1] the token of %j is %j', (request, expected) => {
  expect(extractToken(request, 'agenthost_token')).toBe(expected);
});

test('[AUTH-1] a stored hash is a SHA-256 hash', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
