// The published code: `dist`, loaded by a plain Node without the development condition. `npm test` builds before it runs this file.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageEntries, root } from './source-graph.ts';

const entries = [...packageEntries().keys()].filter((name) => !name.startsWith('@agenthost/testkit'));

/** Runs one module at the root, like a user's script. */
function runAtRoot(code: string): string {
  const args = ['--input-type=module', '--eval', code];
  return execFileSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

test.each(entries)('%s can be imported at the root of the repository', (name) => {
  const loaded = runAtRoot(
    `console.log(import.meta.resolve(${JSON.stringify(name)})); await import(${JSON.stringify(name)});`,
  );
  expect(loaded).toMatch(/\/dist\/.+\.js$/);
});

test('a script at the root reduces a chat', () => {
  expect(
    runAtRoot("import { chatReducer } from '@agenthost/protocol'; console.log(typeof chatReducer)"),
  ).toBe('function');
});

test('no test is published, and no module that imports a source', () => {
  const outputs = globSync('packages/*/dist/**/*.js', { cwd: root });
  expect(outputs.length).toBeGreaterThan(0);
  expect(outputs.filter((path) => path.includes('.test.'))).toEqual([]);
  const importing = outputs.filter((path) =>
    /(?:from|import\() ?['"]\.[^'"]*\.ts['"]/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(importing).toEqual([]);
});

describe('the agenthost program', () => {
  const bin = join(root, 'packages/cli/bin/agenthost.js');

  test('prints one line and exits with 1 on a Node that is too old', () => {
    const older =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '23.11.1' } })";
    expect(() =>
      execFileSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(older)}`, bin], {
        encoding: 'utf8',
        stdio: 'pipe',
      }),
    ).toThrow(
      expect.objectContaining({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^agenthost needs Node\.js 24 .+\n$/),
      }),
    );
  });

  test('loads few files at its start', () => {
    const count =
      "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });";
    const spy = `data:text/javascript,${encodeURIComponent(count)}`;
    const loaded = execFileSync(process.execPath, ['--import', spy, bin, '--version'], { encoding: 'utf8' });
    const ours = loaded.split('\n').filter((url) => url.includes('/packages/'));
    expect(ours).toContainEqual(expect.stringMatching(/\/cli\/dist\/main\.js$/));
    // One for each module would be 89.
    expect(ours.length).toBeLessThan(30);
  });

  test('is linked for npx', () => {
    expect(existsSync(join(root, 'node_modules/.bin/agenthost'))).toBe(true);
  });
});
