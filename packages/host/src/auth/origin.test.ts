import { describe, expect, test } from 'vitest';
import { addressesOf, checkHost, checkOrigin } from './origin.ts';

const loopback = [{ host: '127.0.0.1', port: 4711 }];

describe('checkHost', () => {
  test.each([
    ['127.0.0.1:4711', true],
    ['localhost:4711', true],
    ['LOCALHOST:4711', true],
    ['[::1]:4711', true],
    ['localhost', false],
    ['localhost:4712', false],
    ['localhost.:4711', false],
    ['localhost.evil.example:4711', false],
    ['evil.example:4711', false],
    ['127.0.0.2:4711', false],
    ['user@localhost:4711', false],
    ['localhost:4711/path', false],
    ['localhost:4711?x', false],
    ['localhost:4711#x', false],
    ['localhost\\:4711', false],
    ['localhost:4711,evil.example', false],
    ['localhost:99999', false],
    [' localhost:4711', false],
    ['', false],
    [undefined, false],
  ])('[AUTH-1] on loopback %j is accepted: %j', (header, expected) => {
    expect(checkHost(header, loopback, [])).toBe(expected);
  });

  test.each(['localhost', '::1', '127.0.0.1'])(
    '[AUTH-1] all three loopback names are accepted when the host listens on %s',
    (host) => {
      const names = ['localhost:9', '127.0.0.1:9', '[::1]:9', '[0:0:0:0:0:0:0:1]:9'];
      expect(names.map((name) => checkHost(name, [{ host, port: 9 }], []))).toEqual([true, true, true, true]);
    },
  );

  test('[AUTH-1] another address is accepted only under its own name, and port 80 may be left out', () => {
    const listened = [
      { host: '192.168.1.5', port: 80 },
      { host: 'FE80::1', port: 81 },
      { host: 'box.local', port: 82 },
    ];
    const accepted = ['192.168.1.5', '192.168.1.5:80', '[fe80::1]:81', 'BOX.local:82'];
    expect(accepted.filter((header) => !checkHost(header, listened, []))).toEqual([]);
    const refused = ['localhost', '127.0.0.1:80', '[fe80::1]', 'box.local', '192.168.1.5:81'];
    expect(refused.filter((header) => checkHost(header, listened, []))).toEqual([]);
  });

  test.each([
    ['example.org', ['example.org'], true],
    ['example.org:8443', ['example.org'], true],
    ['example.org', ['example.org:443'], true],
    ['example.org:443', ['example.org:443'], true],
    ['example.org', ['EXAMPLE.org:80'], true],
    ['example.org', ['example.org:8443'], false],
    ['example.org:8080', ['example.org:8443'], false],
    ['sub.example.org', ['example.org'], false],
    ['example.org.evil.example', ['example.org'], false],
    ['anything', ['*', ''], false],
  ])('[AUTH-1] with a list, %j against %j is accepted: %j', (header, allowed, expected) => {
    expect(checkHost(header, loopback, allowed)).toBe(expected);
  });

  test('[AUTH-1] a host that listens on all addresses is accepted under the address of the connection', () => {
    const bound = { host: '0.0.0.0', port: 4711 };
    const came = addressesOf(bound, '::ffff:192.168.1.5');
    expect(checkHost('192.168.1.5:4711', came, [])).toBe(true);
    expect(checkHost('localhost:4711', came, [])).toBe(false);
    expect(checkHost('evil.example:4711', came, [])).toBe(false);
    expect(checkHost('localhost:4711', addressesOf({ host: '::', port: 4711 }, '::1'), [])).toBe(true);
    expect(addressesOf(bound, undefined)).toEqual([]);
    expect(addressesOf(loopback[0] ?? bound, '10.0.0.1')).toEqual(loopback);
  });
});

describe('checkOrigin', () => {
  test.each([
    [undefined, true],
    ['http://localhost:4711', true],
    ['http://127.0.0.1:4711', true],
    ['http://[::1]:4711', true],
    ['HTTP://LocalHost:4711', true],
    ['https://localhost:4711', false],
    ['http://localhost', false],
    ['http://localhost:3000', false],
    ['http://localhost.evil.example:4711', false],
    ['http://evil.example', false],
    ['http://evil.example#http://localhost:4711', false],
    ['http://localhost:4711@evil.example', false],
    ['http://localhost:4711/', false],
    ['http://localhost:4711 http://evil.example', false],
    ['null', false],
    ['', false],
    ['file://', false],
    ['localhost:4711', false],
  ])('[AUTH-1] on loopback the origin %j is accepted: %j', (header, expected) => {
    expect(checkOrigin(header, loopback, [])).toBe(expected);
  });

  test.each([
    ['https://example.org', ['https://example.org'], true],
    ['https://example.org', ['https://EXAMPLE.org:443/'], true],
    ['vscode-webview://abc', ['vscode-webview://abc'], true],
    ['http://example.org', ['https://example.org'], false],
    ['https://example.org:8443', ['https://example.org'], false],
    ['https://sub.example.org', ['https://example.org'], false],
    ['https://example.org.evil.example', ['https://example.org'], false],
    ['null', ['null'], false],
    ['https://anything.example', ['*', '', 'https://*'], false],
  ])('[AUTH-1] with a list, the origin %j against %j is accepted: %j', (header, allowed, expected) => {
    expect(checkOrigin(header, loopback, allowed)).toBe(expected);
  });

  test('[AUTH-1] the own origin is accepted on each address, with port 80 left out', () => {
    const own = [{ host: '192.168.1.5', port: 80 }];
    expect(checkOrigin('http://192.168.1.5', own, [])).toBe(true);
    expect(checkOrigin('http://127.0.0.1', own, [])).toBe(false);
  });
});
