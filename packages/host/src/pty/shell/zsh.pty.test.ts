import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_MARK_LIMIT_BYTES } from '../parser/control-strings.ts';
import { findShell, ShellSession, type ShellSetup } from './contract-shell.ts';

const shell = findShell('zsh');

const start = (rc: string, more: Partial<ShellSetup> = {}) =>
  ShellSession.start({ shell: shell ?? '', files: { '.zshrc': rc }, ...more });

/** Keys that insert long lines: ^G one of ASCII, ^T one of 160 KB, which becomes 640 KB in a mark. */
const LONG_LINES = `PS1='$ '
put_ascii() { BUFFER=": \${(l:20000::x:)}" }
put_wide() { BUFFER=": \${(l:80000::é:)}" }
zle -N put_ascii; zle -N put_wide
bindkey '^G' put_ascii '^T' put_wide
`;

describe.skipIf(shell === undefined)('zsh', () => {
  test('[TERM-2] [TERM-3] command lines are reported exactly as typed, with their exit codes', async () => {
    await using zsh = await start(
      "PS1='$ '; setopt hist_ignore_space hist_reduce_blanks interactive_comments\n",
    );
    await zsh.prompt();
    const lines = [
      'cd /; (exit 3)',
      '  echo "a  b";   echo \'c;\\d\' # é 漢 \\x41',
      'for i in 1 2\rdo\r  echo "n$i"\rdone',
      'cat <<X\r  a;b\r$HOME\r\rX',
      '\x1b[200~echo p\nfalse\x1b[201~',
    ];
    for (const line of lines) await zsh.run(line);
    expect(zsh.texts('C')).toEqual([
      ...lines.slice(0, 4).map((line) => line.replaceAll('\r', '\n')),
      'echo p\nfalse',
    ]);
    expect(zsh.texts('D')).toEqual(['3', '0', '0', '0', '1']);
    expect(zsh.texts('P').slice(0, 2)).toEqual([zsh.home, '/']);
    expect(zsh.texts('R')).toHaveLength(1);
  });

  test('[TERM-3] of a command line beyond 48 KiB the beginning is reported, so that its mark stays within the removable length', async () => {
    await using zsh = await start(LONG_LINES);
    await zsh.prompt();
    // A key inserts the line, since typing this much waits for the redraw.
    await zsh.run('\x07');
    await zsh.run('\x14');
    const marks = zsh.output.split(`${zsh.nonce};`).map((mark) => mark.split('\x1b\\', 1).join('').length);
    expect(Math.max(...marks)).toBeLessThan(OWN_MARK_LIMIT_BYTES);
    expect(zsh.texts('C')).toEqual([`: ${'x'.repeat(20_000)}`, `: ${'é'.repeat(12_286)}`]);
  });

  test('empty, invalid and interrupted lines are no commands', async () => {
    await using zsh = await start("PS1='$ '\n");
    await zsh.prompt();
    await zsh.run('');
    await zsh.run('echo )');
    zsh.type('echo never');
    // A Ctrl-C before the shell has read the line would discard the line.
    await zsh.until(({ output }) => output.includes('echo never'));
    await zsh.interrupt();
    await zsh.run('echo yes');
    expect(zsh.texts('C')).toEqual(['echo yes']);
    expect(zsh.texts('D')).toEqual(['0']);
  });

  test("ZDOTDIR is the user's own before any file of the user is read", async () => {
    await using zsh = await start('', {
      files: {
        'dot files/.zshenv': 'env_seen=$ZDOTDIR\n',
        'dot files/.zshrc': "HISTFILE=$ZDOTDIR/history; SAVEHIST=10; PS1='$ '; rc_seen=$ZDOTDIR\n",
      },
      env: { ZDOTDIR: '/nowhere' },
      edit: (folder) => expect(readFileSync(join(folder, '.zshenv'), 'utf8')).toContain("ZDOTDIR='/nowhere'"),
    });
    await zsh.prompt();
    await zsh.run('echo "<$ZDOTDIR>"');
    expect(zsh.lastOutput).toContain('</nowhere>');
  });

  test('without a ZDOTDIR none is set, and the history stays in the user’s file', async () => {
    await using zsh = await start("HISTFILE=~/history; SAVEHIST=10; PS1='$ '; alias hi='echo hello'\n", {
      files: {
        '.zshenv': 'from_env=yes\n',
        '.zshrc': "HISTFILE=~/history; SAVEHIST=10; PS1='$ '; alias hi='echo hello'\n",
      },
    });
    await zsh.prompt();
    await zsh.run('hi "${ZDOTDIR-none} $from_env"');
    expect(zsh.lastOutput).toContain('hello none yes');
    zsh.type('exit 4\r');
    expect(await zsh.exited()).toBe(4);
    expect(readFileSync(join(zsh.home, 'history'), 'utf8')).toContain('hi "');
  });

  test('the nonce is in no environment and on no command line, and its file is deleted', async () => {
    await using zsh = await start("PS1='$ '; export PS1; setopt all_export\n");
    await zsh.prompt();
    await zsh.run('env; zsh -fc set');
    expect(zsh.lastOutput).toContain('HOME=');
    expect(zsh.lastOutput).not.toContain(zsh.nonce);
    expect(readFileSync(`/proc/${zsh.pid}/environ`, 'utf8')).not.toContain(zsh.nonce);
    expect(readFileSync(`/proc/${zsh.pid}/cmdline`, 'utf8')).not.toContain(zsh.nonce);
    expect(existsSync(join(zsh.folder, '.zshenv'))).toBe(false);
  });

  test('prompts that hooks redraw, hooks, widgets, and odd options of the user are kept', async () => {
    await using zsh = await start(
      `setopt no_unset ksh_arrays sh_word_split
autoload -Uz add-zsh-hook
mine() { local s=$?; PROMPT="%F{red}<$s|%?>%f "; RPROMPT=right; print "hook=$s"; }
add-zsh-hook precmd mine
pre() { print -r -- "pre<$1>"; }
add-zsh-hook preexec pre
zle-line-init() { (( ready = 1 )); }; zle -N zle-line-init
zle-line-finish() { PROMPT='> '; zle reset-prompt; }; zle -N zle-line-finish
ready=0
`,
    );
    await zsh.prompt();
    await zsh.run('(exit 5)');
    expect(zsh.lastOutput).toContain('pre<(exit 5)>');
    expect(zsh.lastOutput).toContain('hook=5');
    expect(zsh.lastOutput).toContain('<5|5>');
    await zsh.run('echo "ready=$ready"');
    expect(zsh.lastOutput).toContain('ready=1');
    expect(zsh.texts('C')).toEqual(['(exit 5)', 'echo "ready=$ready"']);
    expect(zsh.texts('D')).toEqual(['5', '0']);
  });

  test('a nested shell reports nothing', async () => {
    await using zsh = await start("PS1='$ '\n");
    await zsh.prompt();
    zsh.type('zsh -f\r');
    await zsh.until(({ lastOutput }) => lastOutput.includes('% ') || lastOutput.includes('# '));
    zsh.type('exit 7\r');
    await zsh.prompt(2);
    expect(zsh.texts('C')).toEqual(['zsh -f']);
    expect(zsh.texts('D')).toEqual(['7']);
  });
});
