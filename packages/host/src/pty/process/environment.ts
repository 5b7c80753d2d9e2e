import { accessSync, constants } from 'node:fs';
import { type UserInfo, userInfo } from 'node:os';
import { basename, delimiter, isAbsolute } from 'node:path';
import { PtyError } from '../pty.ts';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Values for `terminalEnvironment`. */
export interface TerminalEnvironmentOptions {
  /** The version of agenthost, for `TERM_PROGRAM_VERSION`. */
  readonly version: string;
  /** The value of `SHELL`. Default: that of the host's environment, else the user's login shell. */
  readonly shell?: string;
  /** Set last, with any name. Default: none. */
  readonly extra?: Readonly<Record<string, string>>;
  /** The user of the host process. Default: from the system. */
  readonly user?: Pick<UserInfo<string>, 'username' | 'homedir' | 'shell'>;
}

/** Variables that describe the start of the host, by their origin. `X*`: every name that begins with `X`. */
const LEFT_OUT = [
  // agenthost itself: its options and its tokens.
  'AGENTHOST_*',
  // npm, and Node for its own children.
  ...['npm_*', 'INIT_CWD', 'NODE_OPTIONS', 'NODE_CHANNEL_*', 'NODE_UNIQUE_ID', 'NODE_V8_COVERAGE'],
  // The service manager. A program that writes to NOTIFY_SOCKET would report on behalf of the host.
  ...[
    'NOTIFY_SOCKET',
    'LISTEN_*',
    'MAINPID',
    'MANAGERPID',
    'INVOCATION_ID',
    'JOURNAL_STREAM',
    'SYSTEMD_*',
    'WATCHDOG_*',
  ],
  // The terminal, its size and its device.
  ...[
    'TERM',
    'TERM_*',
    'TERMCAP',
    'TERMINFO',
    'TERMINAL_EMULATOR',
    'COLORTERM',
    'COLUMNS',
    'LINES',
    'WINDOWID',
  ],
  ...[
    'SSH_TTY',
    'GPG_TTY',
    'LC_TERMINAL',
    'LC_TERMINAL_VERSION',
    'VTE_VERSION',
    'WT_SESSION',
    'WT_PROFILE_ID',
  ],
  ...[
    'ITERM_*',
    'KITTY_*',
    'ALACRITTY_*',
    'WEZTERM_*',
    'GHOSTTY_*',
    'KONSOLE_*',
    'GNOME_TERMINAL_*',
    'TILIX_ID',
  ],
  // The multiplexer.
  ...['TMUX', 'TMUX_*', 'STY', 'WINDOW', 'ZELLIJ', 'ZELLIJ_*', 'BYOBU_*'],
  // The editor.
  ...['VSCODE_*', 'ELECTRON_*', 'NVIM', 'NVIM_*', 'VIM', 'VIMRUNTIME', 'MYVIMRC', 'INSIDE_EMACS'],
  // The shell that the host was started from.
  ...['SHLVL', 'OLDPWD', 'PWD', '_'],
];
const leftOutNames = new Set(LEFT_OUT.filter((name) => !name.endsWith('*')));
const leftOutPrefixes = LEFT_OUT.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

/**
 * Returns the environment of a terminal: that of the host without the variables of its own start, with `TERM`, `COLORTERM`,
 * `TERM_PROGRAM`, `TERM_PROGRAM_VERSION`, and with defaults for a UTF-8 locale, `HOME`, `USER`, `LOGNAME` and `SHELL`. Throws `PtyError` when
 * `extra` has an invalid name or value.
 */
export function terminalEnvironment(
  host: Environment,
  options: TerminalEnvironmentOptions,
): Record<string, string> {
  // A map, because a variable can have a name such as `__proto__`.
  const result = new Map<string, string>();
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && !isLeftOut(name, host)) result.set(name, value);
  }
  if (host['PATH'] !== undefined) result.set('PATH', pathWithoutNpm(host['PATH'], host));

  const user = options.user ?? currentUser();
  for (const [name, value] of [
    ['HOME', user?.homedir],
    ['USER', user?.username],
    ['LOGNAME', user?.username],
    ['SHELL', options.shell ?? (host['SHELL'] || userShell(host, user))],
  ] as const) {
    const isGiven = name === 'SHELL' && options.shell !== undefined;
    if (value && (isGiven || !result.get(name))) result.set(name, value);
  }
  if (!['LC_ALL', 'LC_CTYPE', 'LANG'].some((name) => result.get(name))) {
    result.set('LANG', process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8');
  }
  result.set('TERM', 'xterm-256color');
  result.set('COLORTERM', 'truecolor');
  result.set('TERM_PROGRAM', 'agenthost');
  result.set('TERM_PROGRAM_VERSION', options.version);
  for (const [name, value] of checkedEntries(options.extra ?? {})) result.set(name, value);
  return Object.fromEntries(result);
}

/**
 * Returns the shell of the user: `$SHELL`, else the login shell of the account, else `/bin/sh`. Skips a shell that is missing, not
 * executable, or made to refuse logins.
 */
export function userShell(host: Environment, user = currentUser()): string {
  return [host['SHELL'], user?.shell].find((shell) => shell != null && isUsableShell(shell)) ?? '/bin/sh';
}

function isLeftOut(name: string, host: Environment): boolean {
  if (leftOutNames.has(name) || leftOutPrefixes.some((prefix) => name.startsWith(prefix))) return true;
  // The editor's password helper does nothing without the editor's variables, but would hide the user's own helper.
  if (name === 'GIT_ASKPASS') return Object.keys(host).some((other) => other.startsWith('VSCODE_GIT_'));
  return (name === 'NODE' || name === 'COLOR') && wasStartedByNpm(host);
}

const wasStartedByNpm = (host: Environment): boolean =>
  host['npm_execpath'] !== undefined || host['npm_lifecycle_event'] !== undefined;

/** Removes the folders of commands that npm puts in front, of the package and of every folder around it. */
function pathWithoutNpm(path: string, host: Environment): string {
  if (!wasStartedByNpm(host)) return path;
  const entries = path.split(delimiter);
  const first = entries.findIndex((entry) => !/\/node_modules\/\.bin$|\/node-gyp-bin$/.test(entry));
  return entries.slice(first < 0 ? entries.length : first).join(delimiter);
}

function checkedEntries(extra: Readonly<Record<string, string>>): readonly [string, string][] {
  const entries = Object.entries(extra);
  for (const [name, value] of entries) {
    const shown = JSON.stringify(name);
    if (name === '') throw new PtyError('an environment variable has no name', { fault: 'spec' });
    if (/[=\0]/.test(name))
      throw new PtyError(`an environment variable cannot be called ${shown}: no "=" and no NUL in names`, {
        fault: 'spec',
      });
    if (value.includes('\0'))
      throw new PtyError(`the environment variable ${shown} cannot hold a NUL character`, { fault: 'spec' });
  }
  return entries;
}

function isUsableShell(shell: string): boolean {
  if (!isAbsolute(shell) || ['nologin', 'false'].includes(basename(shell))) return false;
  try {
    accessSync(shell, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `undefined` when the system has no account for this user id, as in some containers. */
function currentUser(): TerminalEnvironmentOptions['user'] {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}
