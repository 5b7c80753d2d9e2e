import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_MARK_LIMIT_BYTES } from '../parser/control-strings.ts';
import { findShell, ShellSession, type ShellSetup } from './contract-shell.ts';

const shell = findShell('bash');

const start = (rc: string, more: Partial<ShellSetup> = {}) =>
  ShellSession.start({ shell: shell ?? '', files: { '.bashrc': rc }, ...more });

/** Keys that insert long lines: ^G one of ASCII, ^T one of 160 KB, which becomes 640 KB in a mark. */
const LONG_LINES = `PS1='$ '
printf -v ascii 'x%.0s' {1..20000}
printf -v wide 'é%.0s' {1..80000}
bind -x '"\\C-g": READLINE_LINE=": $ascii"'
bind -x '"\\C-t": READLINE_LINE=": $wide"'
`;

describe.skipIf(shell === undefined)('bash', () => {
  test('[TERM-3] reports its start, its folder, each command line and its exit code', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run('cd /; (exit 3)');
    expect(bash.marks).toEqual([
      { letter: 'R', text: undefined },
      { letter: 'P', text: bash.home },
      { letter: 'A', text: undefined },
      { letter: 'B', text: undefined },
      // The line is drawn again at Enter.
      { letter: 'B', text: undefined },
      { letter: 'C', text: 'cd /; (exit 3)' },
      { letter: 'D', text: '3' },
      { letter: 'P', text: '/' },
      { letter: 'A', text: undefined },
      { letter: 'B', text: undefined },
    ]);
  });

  test('[TERM-2] command lines are reported exactly as typed, whatever the history changes', async () => {
    await using bash = await start("PS1='$ '; PS2='more '; HISTCONTROL=ignoreboth; HISTFILE=~/history\n");
    await bash.prompt();
    const lines = [
      'echo one',
      'echo one',
      '  echo "a  b";   echo \'c;\\d\' # é 漢 \\x41',
      'f() { echo "in $1"; }; f x',
      '(exit 2) | cat',
      'true && { echo group; }',
    ];
    for (const line of lines) await bash.run(line);
    expect(bash.texts('C')).toEqual(lines);
    await bash.run('history -w');
    expect(readFileSync(join(bash.home, 'history'), 'utf8').split('\n')).toEqual([
      'echo one',
      'f() { echo "in $1"; }; f x',
      '(exit 2) | cat',
      'true && { echo group; }',
      'history -w',
      '',
    ]);
  });

  test('[TERM-3] of a command line beyond 48 KiB the beginning is reported, so that its mark stays within the removable length', async () => {
    await using bash = await start(LONG_LINES);
    await bash.prompt();
    // A key inserts the line, since typing this much waits for the redraw.
    await bash.run('\x07');
    await bash.run('\x14');
    const marks = bash.output.split(`${bash.nonce};`).map((mark) => mark.split('\x1b\\', 1).join('').length);
    expect(Math.max(...marks)).toBeLessThan(OWN_MARK_LIMIT_BYTES);
    expect(bash.texts('C')).toEqual([`: ${'x'.repeat(20_000)}`, `: ${'é'.repeat(12_286)}`]);
  });

  test('[TERM-2] lines of a multi-line command and of a here-document are reported with their line ends', async () => {
    await using bash = await start("PS1='$ '; PS2='more '\n");
    await bash.prompt();
    for (const text of [
      'for i in 1 2\rdo\r  echo "n$i"\rdone',
      'cat <<X\r  a;b\r$HOME\r\rX',
      'echo "1\r2"',
    ]) {
      await bash.run(text);
      expect(bash.texts('C').at(-1)).toBe(text.replaceAll('\r', '\n'));
      expect(bash.texts('D').at(-1)).toBe('0');
    }
    expect(bash.output).toContain('more ');
  });

  test('[TERM-2] several commands pasted at once are reported one by one', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run('\x1b[200~echo p\n(exit 3)\n for x in 1\ndo echo $x\ndone\nfalse\x1b[201~');
    expect(bash.texts('C')).toEqual(['echo p', '(exit 3)', ' for x in 1\ndo echo $x\ndone', 'false']);
    expect(bash.texts('D')).toEqual(['0', '3', '0', '1']);
  });

  test('empty, invalid and interrupted lines are no commands', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run('');
    await bash.run('echo )');
    bash.type('echo never');
    // A Ctrl-C before the shell has read the line would discard the line.
    await bash.until(({ output }) => output.includes('echo never'));
    await bash.interrupt();
    const count = bash.texts('A').length;
    bash.type('echo "never\r');
    await bash.until(() => bash.texts('A').length > count);
    await bash.interrupt();
    await bash.run('echo yes');
    expect(bash.texts('C')).toEqual(['echo yes']);
    expect(bash.texts('D')).toEqual(['0']);
  });

  test('the nonce is in no environment and on no command line, and its file is empty', async () => {
    await using bash = await start("PS1='$ '; export PS1; set -a\n");
    await bash.prompt();
    await bash.run('env; bash -c "set"');
    expect(bash.lastOutput).toContain('HOME=');
    expect(bash.lastOutput).not.toContain(bash.nonce);
    expect(readFileSync(`/proc/${bash.pid}/environ`, 'utf8')).not.toContain(bash.nonce);
    expect(readFileSync(`/proc/${bash.pid}/cmdline`, 'utf8')).not.toContain(bash.nonce);
    expect(statSync(join(bash.folder, 'bash.sh')).size).toBe(0);
    expect(statSync(join(bash.folder, 'bash.sh')).mode & 0o777).toBe(0o600);
  });

  test('a nested shell reports nothing, and a forged mark has another nonce', async () => {
    await using bash = await start("PS1='$ '; PS2='> '; export PS1 PS2 PS0\n");
    await bash.prompt();
    bash.type('bash --norc\r');
    await bash.until(({ lastOutput }) => lastOutput.includes('$ '));
    bash.type("printf '\\e]633;%s;C;fake\\e\\\\' 0123456789abcdef0123456789abcdef; exit 7\r");
    await bash.prompt(2);
    expect(bash.texts('C')).toEqual(['bash --norc']);
    expect(bash.texts('D')).toEqual(['7']);
    expect(bash.lastOutput).not.toContain('not found');
  });

  test("the user's prompt has the same $?, PIPESTATUS and $_ as without the integration", async () => {
    await using bash = await start(
      'PROMPT_COMMAND=\'echo "pc=$?/${PIPESTATUS[*]}"; PS1="<\\$?>[$?] "\'\nalias hi="echo hello"\n',
    );
    await bash.prompt();
    await bash.run('true word | (exit 4) | (exit 5)');
    expect(bash.lastOutput).toContain('pc=5/0 4 5');
    expect(bash.lastOutput).toContain('<5>[');
    await bash.run('hi there');
    await bash.run('echo "last=$_ status=$?"');
    expect(bash.lastOutput).toContain('last=there status=0');
    await bash.run('(exit 6)');
    await bash.run('echo "status=$?"');
    expect(bash.lastOutput).toContain('status=6');
  });

  test('PROMPT_COMMAND as an array, set -u and vi mode are unchanged', async () => {
    await using bash = await start(
      'set -u; set -o vi; PROMPT_COMMAND=("echo one=\\$?" "echo two=\\$?"); PS1="\\[\\e[1;32m\\]\\u\\[\\e[0m\\]\\n\\w \\$ "\n',
    );
    await bash.prompt();
    await bash.run('(exit 9)');
    expect(bash.lastOutput).toMatch(/one=9\r\ntwo=9/);
    await bash.run('echo $SHELLOPTS');
    expect(bash.lastOutput).toContain('nounset');
    expect(bash.lastOutput).toContain('vi');
    expect(bash.texts('C')).toEqual(['(exit 9)', 'echo $SHELLOPTS']);
  });

  test("the user's DEBUG trap runs only for the user's commands", async () => {
    await using bash = await start("shopt -s extdebug; PS1='$ '; trap 'echo \"<$?|$BASH_COMMAND>\"' DEBUG\n");
    await bash.prompt();
    const before = bash.output.length;
    await bash.run('(exit 1); echo a');
    await bash.run('true');
    expect(bash.output.slice(before)).toContain('<1|echo a>');
    expect(bash.output.slice(before)).toContain('<0|true>');
    expect(bash.output.slice(before)).not.toContain('|__ah');
    expect(bash.texts('C')).toEqual(['(exit 1); echo a', 'true']);
  });

  test('a PROMPT_COMMAND and a prompt that are set again later are kept, and commands are still reported', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run("PROMPT_COMMAND='echo anew'; PS1='new> '");
    await bash.run('false');
    expect(bash.lastOutput).toContain('anew');
    expect(bash.lastOutput).toContain('new> ');
    expect(bash.texts('C').at(-1)).toBe('false');
    expect(bash.texts('D')).toEqual(['0', '1']);
    bash.type('unset PROMPT_COMMAND\r');
    await bash.until(({ lastOutput }) => lastOutput.includes('new> '));
    await bash.run('(exit 4)');
    expect(bash.texts('D')).toEqual(['0', '1', '0', '4']);
  });

  test('bash-preexec still receives commands', async () => {
    await using bash = await start(PREEXEC);
    await bash.prompt();
    await bash.run('echo a; echo b');
    expect(bash.lastOutput).toContain('PRE<echo a; echo b>');
    await bash.run('(exit 2)');
    await bash.run('false');
    expect(bash.lastOutput).toContain('PRE<false>');
    expect(bash.texts('D')).toEqual(['0', '2', '1']);
  });

  test('set -x shows only the names of the hooks, and set -e ends the shell as usual', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run('set -x');
    const before = bash.output.length;
    await bash.run('echo a');
    expect(bash.output.slice(before).match(/^\++ .*$/gm)?.length).toBeLessThanOrEqual(4);
    await bash.run('set +x; set -e');
    await bash.run('! true');
    bash.type('false\r');
    expect(await bash.exited()).toBe(1);
  });

  test('input of `read -e` is no command line', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    bash.type('read -e -p "name: " x\r');
    await bash.until(({ lastOutput }) => lastOutput.includes('name: '));
    await bash.run('secret');
    await bash.run('echo "<$x>"');
    expect(bash.lastOutput).toContain('<secret>');
    expect(bash.texts('C')).toEqual(['read -e -p "name: " x', 'echo "<$x>"']);
  });

  test('a line found by searching the history is reported', async () => {
    await using bash = await start("PS1='$ '\n");
    await bash.prompt();
    await bash.run('echo findme');
    await bash.run('true');
    await bash.run('\x12findm');
    expect(bash.texts('C')).toEqual(['echo findme', 'true', 'echo findme']);
  });

  test('if Enter has another binding, the command line comes from the history', async () => {
    await using bash = await start(
      'PS1=\'$ \'; bind \'"\\C-m": " #x\\C-j"\'; bind \'"\\C-j": accept-line\'; set +H\n',
    );
    await bash.prompt();
    await bash.run('echo a');
    expect(bash.texts('C')).toEqual(['echo a #x']);
  });

  test.each([
    ['4.4', 98],
    ['3.2', 200],
  ])('the integration for bash %s: a string, and a trap', async (_, less) => {
    const rc = "PS1='$? $ '; PROMPT_COMMAND='echo pc=$?'; trap 'seen=$BASH_COMMAND' DEBUG\n";
    await using bash = await start(rc, {
      edit: (folder) => {
        const file = join(folder, 'bash.sh');
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, text.replaceAll('+ BASH_VERSINFO[1]))', `+ BASH_VERSINFO[1] - ${less}))`));
      },
    });
    await bash.prompt();
    await bash.run('');
    await bash.run('echo a; (exit 3)');
    expect(bash.lastOutput).toContain('pc=3');
    await bash.run('echo "$seen"');
    expect(bash.texts('C')).toEqual(['echo a; (exit 3)', 'echo "$seen"']);
    expect(bash.texts('D')).toEqual(['3', '0']);
  });

  test('a login shell reads the profile, and exit ends it', async () => {
    await using bash = await start('echo rc\n', {
      platform: 'darwin',
      files: { '.bash_profile': "echo profile; PS1='$ '\n", '.profile': 'echo other\n' },
    });
    await bash.prompt();
    expect(bash.output).toContain('profile');
    expect(bash.output).not.toContain('other');
    bash.type('exit 4\r');
    expect(await bash.exited()).toBe(4);
    expect(bash.texts('C')).toEqual(['exit 4']);
    expect(existsSync(join(bash.home, '.bash_history'))).toBe(true);
  });
});

/**
 * Imitates bash-preexec's changes of PROMPT_COMMAND and DEBUG: it installs itself at the first prompt, and stays first and last from then
 * on.
 */
const PREEXEC = `
PS1='$ '
bash_preexec_imported=defined
__bp_mode=
__bp_pc() { local s=$?; return $s; }
__bp_interactive_mode() { __bp_preexec_interactive_mode=on; }
__bp_preexec_invoke_exec() {
  [[ $__bp_preexec_interactive_mode ]] || return
  [[ \${READLINE_POINT-} ]] && return
  __bp_preexec_interactive_mode=
  local each; for each in "\${PROMPT_COMMAND[@]}"; do [[ $each == "$BASH_COMMAND" ]] && return; done
  echo "PRE<$(HISTTIMEFORMAT= builtin history 1 | sed 's/^ *[0-9]*. //')>"
}
__bp_install() {
  trap '__bp_preexec_invoke_exec "$_"' DEBUG
  local own=\${PROMPT_COMMAND//'__bp_trap=$(trap -p DEBUG); trap - DEBUG; __bp_install'/}
  PROMPT_COMMAND=$'__bp_pc\\n'"$own"
  PROMPT_COMMAND+=('__bp_interactive_mode')
  __bp_interactive_mode
}
PROMPT_COMMAND='__bp_trap=$(trap -p DEBUG); trap - DEBUG; __bp_install'
`;
