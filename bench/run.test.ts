import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

function bench(...args: string[]): { code: number | null; out: string; err: string } {
  const entry = fileURLToPath(new URL('./run.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-C', '@agenthost/source', entry, ...args],
    { encoding: 'utf8', timeout: 20_000 },
  );
  return { code: status, out: stdout, err: stderr };
}

test('npm run bench -- --help lists the benchmarks and runs none', () => {
  const { code, out, err } = bench('--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const text of ['fan-out', 'soak', '--json', '--minutes', '--snapshots']) expect(out).toContain(text);
});

test.each([
  [['--frob'], '--frob'],
  [['--minutes'], '--minutes'],
  [['soak', '--minutes', 'ten'], '--minutes: expected a number above 0, got ten'],
  [['frob'], 'no benchmark is called frob'],
])('a wrong command line fails without a stack: %j', (args, message) => {
  const { code, out, err } = bench(...args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err).toContain('npm run bench -- --help');
  expect(err).not.toMatch(/\n\s+at /);
});
