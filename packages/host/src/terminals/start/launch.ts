import type { Log } from '../../lib/log.ts';
import { terminalEnvironment, userShell } from '../../pty/process/environment.ts';
import type { PtySpec } from '../../pty/pty.ts';
import { prepareShell } from '../../pty/shell/prepare-shell.ts';
import { titleOf } from '../output/output-writer.ts';
import type { TerminalSettings } from '../parts.ts';
import type { NewTerminal } from '../service.ts';
import type { ShellFolders } from './shell-folders.ts';

/**
 * Largest terminal, in characters and lines: what an emulator takes memory for at once, some 50 MB with its scrollback. A pty could be
 * 65,535 wide and as high, and an emulator of that size takes all the memory that there is.
 */
const MAX_SIZE = { cols: 2_000, rows: 1_000 } as const;

/** A size that a terminal can have: whole, and no larger than that; what is no size at all is one cell. */
export const fittedSize = <S extends { readonly cols: number; readonly rows: number }>(size: S): S => ({
  ...size,
  cols: fitted(size.cols, MAX_SIZE.cols),
  rows: fitted(size.rows, MAX_SIZE.rows),
});

const fitted = (given: number, most: number): number => Math.min(Math.max(Math.trunc(given) || 1, 1), most);

/** Variable that tells programs the URI of the terminal that they run in; a terminal's own `env` may say otherwise. */
const TERMINAL_VARIABLE = 'AGENTHOST_TERMINAL';

/** What is started for a terminal. */
export interface Launch {
  readonly command: PtySpec['command'];
  readonly env: Readonly<Record<string, string>>;
  /** What its shell integration marks its own reports with; absent: there is none. */
  readonly nonce?: string;
  /** What the terminal is called by itself. */
  readonly title: string;
}

/**
 * The program and the environment of a new terminal (`terminalEnvironment`, the host's settings, `AGENTHOST_TERMINAL`, then
 * what was asked for, later ones over earlier ones), and the files that its shell needs to report commands. Rejects with
 * `PtyError` when the environment cannot be.
 */
export async function launchOf(
  { settings, folders, log }: { settings: TerminalSettings; folders: ShellFolders; log: Log },
  terminal: NewTerminal,
  pty: string,
): Promise<Launch> {
  const { shell: given, version } = settings;
  const env = terminalEnvironment(process.env, {
    version,
    ...(given === undefined ? {} : { shell: given }),
    extra: { ...settings.env, [TERMINAL_VARIABLE]: terminal.uri, ...terminal.env },
  });
  if (terminal.command !== undefined)
    return { command: terminal.command, env, title: titleOf(terminal.command[0]) };
  const shell = shellOf(settings);
  const plain = { command: [shell], env, title: titleOf(shell) } as const;
  if (!settings.hasShellIntegration) return plain;
  try {
    const prepared = await prepareShell({ shell, env, folder: await folders.make(pty) });
    return { ...plain, ...prepared };
  } catch (error) {
    // A shell that reports nothing is better than none.
    log.warn({ error, shell }, 'a shell is started without integration: its files cannot be written');
    return plain;
  }
}

/** The shell that runs where no command is given; absolute path. */
export const shellOf = ({ shell }: TerminalSettings): string => shell ?? userShell(process.env);
