import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_MARK_LIMIT_BYTES } from '../parser/control-strings.ts';
import { findShell, ShellSession } from './contract-shell.ts';

const shell = findShell('fish');
const PROMPT = 'function fish_greeting; end; function fish_prompt; echo "<$status> "; end\n';

const start = (config: string) =>
  ShellSession.start({ shell: shell ?? '', files: { '.config/fish/config.fish': config } });

/** Keys that insert long lines: ^G one of ASCII, ^T one of 160 KB, which becomes 640 KB in a mark. */
const LONG_LINES = `${PROMPT}
bind \\cg 'commandline ": "(string repeat -n 20000 x)'
bind \\ct 'commandline ": "(string repeat -n 80000 é)'
`;

describe.skipIf(shell === undefined)('fish', () => {
  test('[TERM-2] [TERM-3] command lines are reported exactly as typed, with their exit codes', async () => {
    await using fish = await start(PROMPT);
    await fish.prompt();
    await fish.run('cd /; sh -c "exit 3"');
    expect(fish.output).toContain('<3> ');
    await fish.run('  echo "a  b";   echo \'c;\\\\d\' # é 漢 \\x41');
    await fish.run('for i in 1 2\recho "n$i"\rend');
    expect(fish.texts('C').slice(0, 2)).toEqual([
      'cd /; sh -c "exit 3"',
      '  echo "a  b";   echo \'c;\\\\d\' # é 漢 \\x41',
    ]);
    // fish indents further lines itself.
    expect(fish.texts('C')[2]).toMatch(/^for i in 1 2\n *echo "n\$i"\nend$/);
    expect(fish.texts('D')).toEqual(['3', '0', '0']);
    expect(fish.texts('P').slice(0, 2)).toEqual([fish.home, '/']);
    expect(fish.texts('R')).toHaveLength(1);
  });

  test('[TERM-3] of a command line beyond 48 KiB the beginning is reported, so that its mark stays within the removable length', async () => {
    await using fish = await start(LONG_LINES);
    await fish.prompt();
    // A key inserts the line, since typing this much waits for the redraw.
    await fish.run('\x07');
    await fish.run('\x14');
    const marks = fish.output.split(`${fish.nonce};`).map((mark) => mark.split('\x1b\\', 1).join('').length);
    expect(Math.max(...marks)).toBeLessThan(OWN_MARK_LIMIT_BYTES);
    expect(fish.texts('C')).toEqual([`: ${'x'.repeat(20_000)}`, `: ${'é'.repeat(12_286)}`]);
  });

  test('an empty line is no command, and a prompt that is redefined is marked again', async () => {
    await using fish = await start(PROMPT);
    await fish.prompt();
    await fish.run('');
    await fish.run('function fish_prompt; echo "new $status "; end');
    await fish.run('false');
    expect(fish.output).toContain('new 1 ');
    expect(fish.texts('C')).toEqual(['function fish_prompt; echo "new $status "; end', 'false']);
    expect(fish.texts('D')).toEqual(['0', '1']);
  });

  test('the nonce is in no environment and on no command line, and its file is empty', async () => {
    await using fish = await start(PROMPT);
    await fish.prompt();
    await fish.run('env; fish -Nc set');
    expect(fish.lastOutput).toContain('HOME=');
    expect(fish.lastOutput).not.toContain(fish.nonce);
    expect(readFileSync(`/proc/${fish.pid}/environ`, 'utf8')).not.toContain(fish.nonce);
    expect(readFileSync(`/proc/${fish.pid}/cmdline`, 'utf8')).not.toContain(fish.nonce);
    expect(statSync(join(fish.folder, 'fish.fish')).size).toBe(0);
  });

  test("the user's event handlers run, and exit ends it", async () => {
    await using fish = await start(
      `${PROMPT}function post --on-event fish_postexec; echo "post $status"; end; function bye --on-event fish_exit; echo bye; end\n`,
    );
    await fish.prompt();
    await fish.run('sh -c "exit 6"');
    expect(fish.output).toContain('post 6');
    fish.type('exit 4\r');
    expect(await fish.exited()).toBe(4);
    expect(fish.output).toContain('bye');
    expect(fish.texts('C').at(-1)).toBe('exit 4');
  });
});
