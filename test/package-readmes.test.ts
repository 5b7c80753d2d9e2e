// Type-checks the programs in the READMEs of packages. Programs with an output are run, and their output is compared.
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDemoProvider } from '@agenthost/agents';
import { createHost, type Host } from '@agenthost/host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './source-graph.ts';

const run = promisify(execFile);

interface Example {
  readonly title: string;
  readonly code: string;
  /** Absent: the README shows none. */
  readonly output: string | undefined;
}

/** All programs in READMEs; an output follows its program directly. */
const examples: readonly Example[] = globSync('packages/*/README.md', { cwd: root })
  .toSorted()
  .flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/```ts\n([^]*?)```\n(?:\n```\n([^]*?)```)?/g)].map(
      ([, code = '', output], index) => ({ title: `${path} ${index + 1}`, code, output }),
    ),
  );

let folder: string;
let host: Host;
let port = 0;
let token = '';
beforeAll(async () => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Below the root, so that imports of the packages resolve.
  folder = mkdtempSync(join(root, '.cache/readmes-'));
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => createDemoProvider()],
    listen: { port: 0 },
    terminals: { keeper: false },
  });
  const address = await host.start();
  port = address?.port ?? 0;
  token = address?.token ?? '';
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = (index: number): string => join(folder, `example-${index}.ts`);

const executed = examples.filter(({ output }) => output !== undefined);

test('every published library shows at least one program with its output', () => {
  for (const name of ['rpc', 'protocol', 'client', 'host'])
    expect(executed.filter(({ title }) => title.includes(`/${name}/`))).not.toEqual([]);
});

test('the programs pass the type check at the root', async () => {
  for (const [index, { code }] of examples.entries()) writeFileSync(fileOf(index), code);
  const config = { extends: '../../tsconfig.json', include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

test.each(executed.map((example) => ({ ...example, index: examples.indexOf(example) })))(
  '$title prints what the README says',
  async ({ code, output, index }) => {
    const file = fileOf(index);
    writeFileSync(file, code.replaceAll('127.0.0.1:4711', `127.0.0.1:${port}`));
    const { stdout } = await run(process.execPath, ['-C', '@agenthost/source', file], {
      cwd: folder,
      env: { ...process.env, AGENTHOST_TOKEN: token },
    });
    expect(stdout.trim()).toBe(output?.trim());
  },
);
