import { expect, test } from 'vitest';
import { programName } from './program-name.ts';

test.each([
  [['/usr/bin/node', '/app/node_modules/vite/bin/vite.js', '--port', '1'], { name: 'node', title: 'vite' }],
  [['node', '--inspect', 'server.js', '--key=secret'], { name: 'node', title: 'server.js' }],
  [['/usr/bin/python3.12', '-m', 'http.server', '8000'], { name: 'python3.12', title: 'http.server' }],
  [['java', '-Xmx1g', '-jar', '/srv/app.jar'], { name: 'java', title: 'app.jar' }],
  [['node', '-C', 'a/b', '--import', 'tsx', 'main.ts'], { name: 'node', title: 'main.ts' }],
  [['bun', 'run', 'dev'], { name: 'bun', title: 'dev' }],
  [['node', '-e', 'secret()'], { name: 'node' }],
  [['next-server (v15.1.0)'], { name: 'next-server (v15.1.0)' }],
  [['/srv/api', '--password', 'secret'], { name: 'api' }],
  [['-zsh'], { name: 'zsh' }],
  [['a\u001b[31mb'], { name: 'a [31mb' }],
  [['x'.repeat(200)], { name: `${'x'.repeat(79)}…` }],
])('%j', (args, shown) => {
  expect(programName(args)).toEqual(shown);
});

test('a process without arguments has no name', () => {
  expect(programName([])).toBeUndefined();
  expect(programName(['\u0007'])).toBeUndefined();
});
