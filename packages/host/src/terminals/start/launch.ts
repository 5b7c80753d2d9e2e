import { defined } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import { terminalEnvironment, userShell } from '../../pty/process/environment.ts';
import type { PtySpec } from '../../pty/pty.ts';
import { prepareShell } from '../../pty/shell/prepare-shell.ts';
import { titleOf } from '../output/output-writer.ts';
import type { TerminalSettings } from '../parts.ts';
import type { NewTerminal } from '../service.ts';
import type { ShellFolders } from './shell-folders.ts';

/**
 * Largest terminal, in columns and rows. An emulator of this size takes about 50 MB with its scrollback. A pty could have 65,535 columns
 * and rows, for which an emulator would take all memory.
 */
const MAX_SIZE = { cols: 2_000, rows: 1_000 } as const;

/** The nearest size that a terminal can have: whole numbers from 1 to the largest. */
export const fittedSize = <S extends { readonly cols: number; readonly rows: number }>(size: S): S => ({
  ...size,
  cols: fitted(size.cols, MAX_SIZE.cols),
  rows: fitted(size.rows, MAX_SIZE.rows),
});

const fitted = (given: number, most: number): number => Math.min(Math.max(Math.trunc(given) || 1, 1), most);

/** The environment variable with the URI of the terminal. The `env` of a terminal may override it. */
const TERMINAL_VARIABLE = 'AGENTHOST_TERMINAL';

/** The program of a new terminal. */
export interface Launch {
  readonly command: PtySpec['command'];
  readonly env: Readonly<Record<string, string>>;
  /** Marks the reports of its shell integration. Absent: the program has no shell integration. */
  readonly nonce?: string;
  /** The title until the program sets one. */
  readonly title: string;
}

/**
 * Returns the program and environment of a new terminal, and writes the files with which its shell reports commands. The environment
 * is made of `terminalEnvironment`, the host's settings, `AGENTHOST_TERMINAL` and the terminal's own `env`; later values win. Rejects with
 * `PtyError` when a variable is invalid.
 */
export async function launchOf(
  { settings, folders, log }: { settings: TerminalSettings; folders: ShellFolders; log: Log },
  terminal: NewTerminal,
  pty: string,
): Promise<Launch> {
  const { shell: given, version } = settings;
  const env = terminalEnvironment(process.env, {
    version,
    ...defined({ shell: given }),
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
    log.warn(
      { error, shell },
      'starting a shell without integration: its start-up files could not be written',
    );
    return plain;
  }
}

/** Absolute path of the shell for terminals without a command. */
export const shellOf = ({ shell }: TerminalSettings): string => shell ?? userShell(process.env);
