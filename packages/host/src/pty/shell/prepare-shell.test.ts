import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareShell } from './prepare-shell.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the start of a shell', () => {
  const env = { HOME: '/home/x', ZDOTDIR: "/it's" };

  test.each([
    ['/bin/bash', 'linux', 'bash.sh', ['--init-file', '<file>', '-i']],
    ['/opt/bin/bash-5.2', 'darwin', 'bash.sh', ['--init-file', '<file>', '-i']],
    ['/bin/zsh', 'linux', '.zshenv', ['-i']],
    ['/bin/zsh', 'darwin', '.zshenv', ['-il']],
    ['/bin/fish', 'linux', 'fish.fish', ['-i', '--init-command', "source '<file>'"]],
    ['/bin/fish', 'darwin', 'fish.fish', ['-il', '--init-command', "source '<file>'"]],
    ['/bin/pwsh', 'linux', 'pwsh.ps1', ['-NoExit', '-Command', ". '<file>'"]],
    ['/bin/pwsh', 'darwin', 'pwsh.ps1', ['-Login', '-NoExit', '-Command', ". '<file>'"]],
  ] as const)('%s on %s, with a nonce in a file of its owner alone', async (shell, platform, name, args) => {
    const file = join(folder, name);
    const prepared = await prepareShell({ shell, folder, env, platform });
    expect(prepared.command).toEqual([shell, ...args.map((arg) => arg.replace('<file>', file))]);
    expect(prepared.nonce).toMatch(/^[\da-f]{32}$/);
    expect(readFileSync(file, 'utf8')).toContain(`]633;${prepared.nonce};`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.stringify([prepared.command, prepared.env])).not.toContain(prepared.nonce);
    expect(prepared.env).toEqual(name === '.zshenv' ? { ...env, ZDOTDIR: folder } : env);
  });

  test('a quote in the ZDOTDIR of the user is escaped', async () => {
    await prepareShell({ shell: '/bin/zsh', folder, env });
    expect(readFileSync(join(folder, '.zshenv'), 'utf8')).toContain("ZDOTDIR='/it'\\''s'\n");
  });

  test.each(['/bin/sh', '/bin/dash', '/opt/constructor'])('%s is started unchanged', async (shell) => {
    expect(await prepareShell({ shell, folder, env })).toEqual({ command: [shell], env });
  });
});
