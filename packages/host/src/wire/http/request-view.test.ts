import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isBasePath } from '../../auth/base-path.ts';
import { isProxyAddress, trustedProxies } from '../../auth/proxies.ts';
import { type RequestView, viewOf } from './request-view.ts';

function seen(
  { url = '/', from = '127.0.0.1', ...headers }: Record<string, string>,
  { basePath = '', proxies = [] }: { basePath?: string; proxies?: readonly string[] | null } = {},
): RequestView {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: from });
  const request = new IncomingMessage(socket);
  request.url = url;
  request.headers = { host: '127.0.0.1:4711', ...headers };
  const trusted = proxies === null ? {} : { proxies: trustedProxies(proxies) };
  return viewOf(request, { basePath, isSecure: false, ...trusted });
}

const FORWARDED = {
  'x-forwarded-host': 'agents.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.7',
  'x-forwarded-prefix': '/agents/',
};
const DIRECT = {
  base: '',
  host: '127.0.0.1:4711',
  publicHost: '127.0.0.1:4711',
  isSecure: false,
  isHostForwarded: false,
};

test('[AUTH-1] forwarded headers are ignored unless the host trusts proxies', () => {
  expect(seen(FORWARDED, { proxies: null })).toEqual({
    ...DIRECT,
    path: '/',
    address: '127.0.0.1',
    isDirect: false,
  });
});

test('[AUTH-1] forwarded headers of an address that is no trusted proxy are ignored', () => {
  expect(seen({ ...FORWARDED, from: '192.0.2.9' }, { proxies: ['10.0.0.0/8'] })).toMatchObject(DIRECT);
});

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '2001:db8::5'])(
  'forwarded headers of a trusted proxy at %s count',
  (from) => {
    const view = seen(
      { ...FORWARDED, from, url: '/agents/s/x?y' },
      { proxies: ['10.0.0.0/8', '2001:db8::/32'] },
    );
    expect(view).toEqual({
      path: '/s/x',
      base: '/agents',
      host: 'agents.example',
      publicHost: 'agents.example',
      isSecure: true,
      address: '192.0.2.7',
      isHostForwarded: true,
      isDirect: false,
    });
  },
);

test('[AUTH-1] the host that a gateway names is not the host that is checked, and counts only from a trusted proxy', () => {
  const named = { 'x-agenthost-public-host': 'agents.example' };
  expect(seen(named)).toMatchObject({ ...DIRECT, publicHost: 'agents.example' });
  expect(seen(named, { proxies: null })).toMatchObject(DIRECT);
  expect(seen({ ...named, from: '192.0.2.9' })).toMatchObject(DIRECT);
});

test('of several forwarded values only those that a trusted proxy added count', () => {
  const view = seen({
    'x-forwarded-host': 'evil.example, agents.example',
    'x-forwarded-proto': 'https, http',
    'x-forwarded-for': '127.0.0.1, 6.6.6.6, [2001:db8::9]:443, 127.0.0.1',
  });
  expect(view).toMatchObject({ host: 'agents.example', isSecure: false, address: '2001:db8::9' });
});

test.each([
  ['192.0.2.7:5000', '192.0.2.7'],
  ['unknown', '127.0.0.1'],
  ['', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
])('the client of X-Forwarded-For %j has the address %s', (header, address) => {
  expect(seen({ 'x-forwarded-for': header }).address).toBe(address);
});

test.each(['agents', '/a"b', '/a/../b', '//evil.example', '/a b', '/a;x', `/${'a'.repeat(300)}`])(
  'an invalid X-Forwarded-Prefix is ignored: %s',
  (prefix) => {
    expect(seen({ 'x-forwarded-prefix': prefix }, { basePath: '/own' }).base).toBe('/own');
  },
);

test.each([
  ['/agents/ahp', '/ahp'],
  ['/agents', '/'],
  ['/agents/', '/'],
  ['/ahp', '/ahp'],
  ['/agentsx/ahp', '/agentsx/ahp'],
  ['/other', '/other'],
  ['http://127.0.0.1/agents/ahp', '/ahp'],
])('with a base path, %s is the path %s of the host', (url, path) => {
  expect(seen({ url }, { basePath: '/agents' }).path).toBe(path);
});

test.each([
  ['/agents', true],
  ['/a/b-c_d.e~f', true],
  ['', false],
  ['/', false],
  ['agents', false],
  ['/agents/', false],
  ['/a//b', false],
  ['/..', false],
  ['/a/./b', false],
  ['/a%20b', false],
  ['/a?b', false],
  ['/ä', false],
])('%j is a base path: %j', (text, expected) => {
  expect(isBasePath(text)).toBe(expected);
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['2001:db8::/129', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['proxy.example', false],
  ['', false],
])('%j is an address or subnet of proxies: %j', (text, expected) => {
  expect(isProxyAddress(text)).toBe(expected);
});
