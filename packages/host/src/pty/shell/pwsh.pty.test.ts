import { describe, expect, test } from 'vitest';
import { findShell, ShellSession } from './contract-shell.ts';

const shell = findShell('pwsh', 'optional');

describe.skipIf(shell === undefined)('pwsh', () => {
  test('[TERM-2] [TERM-3] command lines are told, with their exit codes', async () => {
    await using pwsh = await ShellSession.start({ shell: shell ?? '' });
    await pwsh.prompt();
    await pwsh.run('sh -c "exit 3"');
    await pwsh.run('echo "a;b"');
    expect(pwsh.texts('C')).toEqual(['sh -c "exit 3"', 'echo "a;b"']);
    expect(pwsh.texts('D')).toEqual(['3', '0']);
  });
});
