import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findShell, ShellSession } from './contract-shell.ts';
import { prepareShell } from './prepare-shell.ts';

const found = [findShell('pwsh', 'optional')].flatMap((shell) => shell ?? []);

test('pwsh is started with its integration, whose nonce is in no argument and no variable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-pwsh-'));
  try {
    const { command, env, nonce } = await prepareShell({ shell: '/usr/bin/pwsh', folder, env: { A: '1' } });
    expect(command[0]).toBe('/usr/bin/pwsh');
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify({ command, env })).not.toContain(nonce);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Only where it is installed; `findShell` reports a missing shell.
test.each(found)('[TERM-2] [TERM-3] %s reports its command lines, with their exit codes', async (shell) => {
  await using pwsh = await ShellSession.start({ shell });
  await pwsh.prompt();
  await pwsh.run('sh -c "exit 3"');
  await pwsh.run('echo "a;b"');
  expect(pwsh.texts('C')).toEqual(['sh -c "exit 3"', 'echo "a;b"']);
  expect(pwsh.texts('D')).toEqual(['3', '0']);
});
