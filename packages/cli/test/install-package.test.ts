// The template of docs/agent-providers.md as a package: packed and installed by the real npm, and used from its folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

/** The npm on the PATH of the tests, and their Node. */
const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
const page = readFileSync(new URL('../../../docs/agent-providers.md', import.meta.url), 'utf8');
const block = (language: string, holding: string): string =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\\n\`\`\``, 'g'))]
    .map(([, text = '']) => text)
    .find((text) => text.includes(holding)) ?? '';

let machine: Machine;
let env: Record<string, string>;
let tarball: string;

beforeAll(async () => {
  machine = new Machine();
  env = {
    PATH: `${dirname(process.execPath)}:${dirname(npm)}:/usr/bin:/bin`,
    npm_config_cache: join(machine.home, 'cache'),
    // Nothing is downloaded: a dependency that is not there fails.
    npm_config_offline: 'true',
  };
  const folder = join(machine.home, 'template');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), block('json', '"version": "1.0.0"'));
  writeFileSync(join(folder, 'index.ts'), block('ts', 'createProvider'));
  // As `npm install` in the folder does. `npm pack` compiles the module.
  symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'));
  const packed = execFileSync(npm, ['pack', '--pack-destination', machine.home], {
    cwd: folder,
    env: { ...machine.environment, ...env },
    encoding: 'utf8',
  });
  tarball = join(machine.home, packed.trim().split('\n').at(-1) ?? '');
  mkdirSync(join(machine.home, '.config/agenthost'), { recursive: true });
  const config = {
    agents: { mine: { package: '@me/my-agent' }, local: { package: folder, settings: { greeting: 'Hi' } } },
    defaultAgent: 'demo',
  };
  writeFileSync(join(machine.home, '.config/agenthost/agenthost.json'), JSON.stringify(config));
});
afterAll(() => machine.dispose());

describe('a package with an agent', () => {
  test('is installed by npm from a tarball, shown without being run, and answers in a host, as does one in a folder', async () => {
    expect((await machine.run(['agents'])).out).toMatch(/^✗ mine .*@me\/my-agent is not in/m);
    const installed = await machine.run(['agents', 'install', `mine@file:${tarball}`], env);
    expect(installed).toMatchObject({ code: 0 });
    expect(installed.out).toMatch(
      /^mine 1\.0\.0 is installed: ~\/.*\/mine\/current\/node_modules\/@me\/my-agent\/index\.js\n$/,
    );
    expect((await machine.run(['agents'])).out).toMatch(
      /^✓ mine +mine 1\.0\.0 .*a package: imports .*index\.js/m,
    );
    await machine.serve();
    const answer = (await machine.run(['agents', 'test', 'mine'])).out;
    expect(answer).toMatch(/^✓ mine answered after .*: Hello: /);
    expect((await machine.run(['agents', 'test', 'local'])).out).toMatch(/^✓ local answered after .*: Hi: /);
  });

  test('that npm cannot install is refused with the reason, and the one before stays', async () => {
    const failed = await machine.run(['agents', 'install', 'mine@file:/nonexistent.tgz'], env);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain('could not be installed');
    expect((await machine.run(['agents', 'test', 'mine'])).code).toBe(0);
  });
});
