import { expect, test } from 'vitest';
import { readLsof, readPs } from './mac-port-scanner.ts';

test('the output of lsof and ps is read', () => {
  const lsof = 'p501\nf22\nn127.0.0.1:5173\nf23\nn[::1]:5173\np502\nf9\nn*:8080\nn*:*\n';
  expect(readLsof(lsof)).toEqual([
    { pid: 501, address: '127.0.0.1', port: 5173 },
    { pid: 501, address: '::1', port: 5173 },
    { pid: 502, address: '0.0.0.0', port: 8080 },
  ]);
  const ps =
    '  501     1 Fri Nov 27 14:00:00 2026     node vite --port 5173\n  502   501 Fri Nov 27 14:00:01 2026     /bin/sh\n\n';
  const { entries, argsOf } = readPs(ps);
  expect(entries).toEqual([
    { pid: 501, parent: 1, session: 0, start: 'Fri Nov 27 14:00:00 2026' },
    { pid: 502, parent: 501, session: 0, start: 'Fri Nov 27 14:00:01 2026' },
  ]);
  expect(argsOf.get(501)).toEqual(['node', 'vite', '--port', '5173']);
});
