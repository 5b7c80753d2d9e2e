// Type-checks the programs of docs/programs.md with the settings of the root, and runs them against the built packages.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from './source-graph.ts';

const run = promisify(execFile);
const programsOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);
const [example = '', ...behind] = programsOf('docs/programs.md');

let folder: string;
let host: Host;
beforeEach(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Below the root, so that imports of the packages resolve.
  folder = mkdtempSync(join(root, '.cache/readme-'));
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => createDemoProvider()],
    listen: { port: 0 },
    terminals: { keeper: false },
  });
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the README shows the first program, and the other programs continue it', () => {
  expect(programsOf('README.md')).toEqual([example]);
  expect(example).toContain("from '@agenthost/client'");
  expect(behind.length).toBeGreaterThan(1);
});

test('the programs pass the type check at the root', async () => {
  writeFileSync(join(folder, 'example.ts'), example);
  // The other programs continue `session`.
  writeFileSync(join(folder, 'behind.ts'), example.replace('for await', `${behind.join('\n')}\nfor await`));
  const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

test('the first program prints the answer of the demo agent', async () => {
  const listening = await host.start();
  // The test's host has a free port instead of the default one.
  writeFileSync(
    join(folder, 'example.ts'),
    example.replace('127.0.0.1:4711', `127.0.0.1:${listening?.port}`),
  );
  const { stdout } = await run(process.execPath, ['example.ts'], {
    cwd: folder,
    env: { ...process.env, AGENTHOST_TOKEN: listening?.token },
  });
  expect(stdout.trim()).toBe('hi');
});
