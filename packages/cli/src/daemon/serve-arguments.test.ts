import { expect, test } from 'vitest';
import { drainSecondsOf, serveArguments, withPort } from './serve-arguments.ts';

test('options of serve become arguments that mean the same from any folder', () => {
  const args = serveArguments(
    {
      port: 0,
      host: '127.0.0.1',
      data: 'data',
      config: '/etc/a.json',
      root: ['.', '/srv'],
      tls: true,
      keeper: false,
      tokenFile: 'token',
      set: ['approvals=edits'],
      announce: 'https://machine1:4711',
      label: ['gpu', 'big disk'],
      drain: 30,
    },
    '/base',
  );
  expect(args.join(' ')).toBe(
    '--port 0 --host 127.0.0.1 --data /base/data --announce https://machine1:4711 --config /etc/a.json --token-file /base/token --drain 30 --tls --no-keeper --root /base --root /srv --label gpu --label big disk --set approvals=edits',
  );
  expect(withPort(args, 'http://127.0.0.1:4711').slice(0, 2)).toEqual(['--port', '4711']);
  expect(withPort(args, 'https://example.org').slice(0, 2)).toEqual(['--port', '443']);
  expect(drainSecondsOf(args)).toBe(30);
  const plain = serveArguments({ port: 4711, host: '::1', drain: 0 }, '/');
  expect(plain).toEqual(['--port', '4711', '--host', '::1']);
  expect(withPort(plain, 'http://[::1]:1')).toEqual(plain);
  expect(drainSecondsOf(plain)).toBe(0);
});
