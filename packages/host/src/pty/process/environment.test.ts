import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PtyError } from '../pty.ts';
import { terminalEnvironment, userShell } from './environment.ts';

const USER = { username: 'ada', homedir: '/home/ada', shell: '/bin/sh' };
const VERSION = '1.2.3';
const OURS = {
  TERM: 'xterm-256color',
  COLORTERM: 'truecolor',
  TERM_PROGRAM: 'agenthost',
  TERM_PROGRAM_VERSION: VERSION,
};
const THEIRS = { HOME: '/home/ada', USER: 'ada', LOGNAME: 'ada', SHELL: '/bin/sh', LANG: 'C.UTF-8' };

describe('the environment of a terminal', () => {
  it('is that of the host, with variables that describe the terminal', () => {
    const host = { ...THEIRS, PATH: '/usr/bin', EDITOR: 'vim', SSH_AUTH_SOCK: '/tmp/agent', EMPTY: '' };
    expect(terminalEnvironment(host, { version: VERSION, user: USER })).toEqual({ ...host, ...OURS });
  });

  it('leaves out variables of the host’s own start', () => {
    const start = {
      ...{
        AGENTHOST_TOKEN: 'secret',
        npm_config_x: '1',
        INIT_CWD: '/',
        NODE_OPTIONS: '-C x',
        NODE_CHANNEL_FD: '3',
      },
      ...{ NOTIFY_SOCKET: '/run/x', LISTEN_FDS: '1', INVOCATION_ID: 'x' },
      ...{
        TERM: 'dumb',
        TERM_SESSION_ID: 'x',
        COLUMNS: '3',
        LINES: '3',
        SSH_TTY: '/dev/pts/1',
        KITTY_WINDOW_ID: '1',
      },
      ...{
        TMUX: 'x',
        TMUX_PANE: '%1',
        STY: 'x',
        WINDOW: '0',
        VSCODE_PID: '1',
        ELECTRON_RUN_AS_NODE: '1',
        NVIM: 'x',
      },
      ...{ SHLVL: '3', OLDPWD: '/x', PWD: '/y', _: '/usr/bin/env' },
    };
    expect(terminalEnvironment({ ...THEIRS, ...start }, { version: VERSION, user: USER })).toEqual({
      ...THEIRS,
      ...OURS,
    });
  });

  it('keeps names that only have the same beginning', () => {
    const host = {
      ...THEIRS,
      TERMS: 'a',
      WINDOWS: 'b',
      PWDX: 'c',
      NODE_ENV: 'd',
      NODE: 'e',
      COLOR: 'f',
      GIT_ASKPASS: 'g',
    };
    expect(terminalEnvironment(host, { version: VERSION, user: USER })).toEqual({ ...host, ...OURS });
  });

  it('leaves out the folders that npm added to PATH, only if npm started the host', () => {
    const PATH =
      '/p/node_modules/.bin:/node_modules/.bin:/npm/lib/node-gyp-bin:/usr/bin:/q/node_modules/.bin';
    const npm = { npm_execpath: '/npm', NODE: '/node', COLOR: '1' };
    const clean = { ...THEIRS, ...OURS, PATH: '/usr/bin:/q/node_modules/.bin' };
    expect(terminalEnvironment({ ...THEIRS, PATH, ...npm }, { version: VERSION, user: USER })).toEqual(clean);
    expect(terminalEnvironment({ ...THEIRS, PATH }, { version: VERSION, user: USER })).toEqual({
      ...clean,
      PATH,
    });
  });

  it('leaves out the editor’s helper for passwords together with the variables it needs', () => {
    const host = { ...THEIRS, GIT_ASKPASS: '/code/askpass.sh', VSCODE_GIT_ASKPASS_NODE: '/code/node' };
    expect(terminalEnvironment(host, { version: VERSION, user: USER })).toEqual({ ...THEIRS, ...OURS });
  });

  it('adds the name of the user, and a UTF-8 locale if none is set', () => {
    const LANG = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
    expect(terminalEnvironment({}, { version: VERSION, user: USER })).toEqual({ ...THEIRS, ...OURS, LANG });
    const set = terminalEnvironment(
      { ...THEIRS, LANG: '', LC_CTYPE: 'de_DE.UTF-8' },
      { version: VERSION, user: USER },
    );
    expect(set).toMatchObject({ LANG: '', LC_CTYPE: 'de_DE.UTF-8' });
  });

  it('names the shell that is started', () => {
    expect(terminalEnvironment(THEIRS, { version: VERSION, user: USER, shell: '/bin/bash' })).toMatchObject({
      SHELL: '/bin/bash',
    });
  });

  it('applies the requested variables last, whatever their names', () => {
    const extra = { TERM: 'vt100', TMUX: 'x', ['__proto__']: 'own', HOME: '/elsewhere' };
    const result = terminalEnvironment(THEIRS, { version: VERSION, user: USER, extra });
    expect(result).toMatchObject({ TERM: 'vt100', TMUX: 'x', HOME: '/elsewhere' });
    expect(Object.getOwnPropertyDescriptor(result, '__proto__')?.value).toBe('own');
  });

  it.each([
    [{ '': 'x' }, 'an environment variable has no name'],
    [{ 'A=B': 'x' }, 'cannot be called "A=B"'],
    [{ 'A\0': 'x' }, 'cannot be called "A\\u0000"'],
    [{ A: 'x\0y' }, 'the environment variable "A" cannot hold a NUL'],
  ])('refuses %j', (extra, message) => {
    const make = (): unknown => terminalEnvironment(THEIRS, { version: VERSION, user: USER, extra });
    expect(make).toThrow(PtyError);
    expect(make).toThrow(message);
  });
});

describe('the shell of the user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-shell-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, mode: number): string => {
    writeFileSync(join(folder, name), '#!/bin/sh\n', { mode });
    return join(folder, name);
  };

  it('is $SHELL, else that of the account, else sh', () => {
    const shell = file('own-shell', 0o755);
    expect(userShell({ SHELL: shell }, USER)).toBe(shell);
    expect(userShell({}, { ...USER, shell })).toBe(shell);
    expect(userShell({}, { ...USER, shell: null })).toBe('/bin/sh');
  });

  it('is never missing, not executable, relative or a shell that refuses logins', () => {
    const shell = file('account-shell', 0o755);
    const unusable = [join(folder, 'missing'), file('text', 0o644), 'bash', file('nologin', 0o755), ''];
    for (const SHELL of unusable) expect(userShell({ SHELL }, { ...USER, shell })).toBe(shell);
  });
});
