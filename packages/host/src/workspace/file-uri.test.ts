import { expect, test } from 'vitest';
import { fileUriOf, pathOfFileUri } from './file-uri.ts';

test.each([
  ['file:///a/b', '/a/b'],
  ['FILE:///a/b', '/a/b'],
  ['file://localhost/a/b', '/a/b'],
  ['file:///', '/'],
  ['file:///a/b/', '/a/b/'],
  ['file:///a%20b/%C3%A9', '/a b/é'],
  ['file:///a b/é', '/a b/é'],
  ['file:///a%23b%3Fc%25d', '/a#b?c%d'],
  ['file:///a/../b', '/b'],
  ['file:///a/%2e%2E/%2e/b', '/b'],
  ['file:///../../etc/passwd', '/etc/passwd'],
  ['file:///a%5Cb', '/a\\b'],
  ['file:///a/..b/...', '/a/..b/...'],
])('[RES-1] %s is the path %s', (uri, path) => {
  expect(pathOfFileUri(uri)).toBe(path);
});

test.each([
  ['another scheme', 'http:///a'],
  ['no scheme', '/a/b'],
  ['a scheme that only begins so', 'file2:///a'],
  ['another host', 'file://server/share/x'],
  ['another host that begins so', 'file://localhost.evil.example/x'],
  ['a port', 'file://localhost:80/x'],
  ['a user', 'file://root@localhost/x'],
  ['a UNC path', 'file:////server/share'],
  ['a UNC path of backslashes', 'file:\\\\server\\share'],
  ['no authority', 'file:a/b'],
  ['nothing', 'file:'],
  ['no path', 'file://'],
  ['a relative path', 'file://./a'],
  ['a query', 'file:///a?b'],
  ['a fragment', 'file:///a#b'],
  ['an encoded slash', 'file:///a%2Fb'],
  ['an encoded slash in dots', 'file:///a/..%2f..%2fetc'],
  ['an encoded NUL', 'file:///a%00.png'],
  ['a NUL', 'file:///a\u0000b'],
  ['a newline, which a parser would drop', 'file:///et\nc'],
  ['a tab before the scheme', '\tfile:///a'],
  ['a space at the end', 'file:///a '],
  ['a backslash', 'file:///a\\..\\b'],
  ['a broken escape', 'file:///a%zz'],
  ['half an escape', 'file:///a%4'],
  ['an escape that is no UTF-8', 'file:///a%ff'],
  ['an overlong encoding of dots', 'file:///%c0%ae%c0%ae/a'],
  ['half a surrogate pair', 'file:///a\ud800'],
  ['too much', `file:///${'a'.repeat(10_000)}`],
  ['nothing at all', ''],
])('[RES-1] a URI with %s is refused: %j', (_name, uri) => {
  expect(() => pathOfFileUri(uri)).toThrow(expect.objectContaining({ name: 'WireError', code: -32602 }));
});

test('any path survives the conversion to a URI and back', () => {
  for (const path of ['/a b/é', '/a#b?c%d', '/a\\b', '/a%2Fb', '/\u{1f642}', '/a\nb']) {
    expect(pathOfFileUri(fileUriOf(path))).toBe(path);
  }
});
