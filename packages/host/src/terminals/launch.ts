import { basename } from 'node:path';
import type { PtySpec } from '../pty/pty.ts';
import { titleOf } from './output-writer.ts';
import type { TerminalSettings } from './parts.ts';
import type { NewTerminal } from './service.ts';

/** What is started for a terminal. */
export interface Launch {
  readonly command: PtySpec['command'];
  readonly env: Readonly<Record<string, string>>;
  /** What its shell integration marks its own reports with; absent: there is none. */
  readonly nonce?: string;
  /** What the terminal is called by itself. */
  readonly title: string;
}

/** The program and the environment of a new terminal. */
export function launchOf(settings: TerminalSettings, terminal: NewTerminal): Launch {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  Object.assign(env, { TERM: 'xterm-256color' }, settings.env, terminal.env);
  const command = terminal.command ?? ([shellOf(settings)] as const);
  return { command, env, title: titleOf(basename(command[0])) };
}

/** The shell that runs where no command is given. */
export const shellOf = (settings: TerminalSettings): string =>
  settings.shell ?? process.env['SHELL'] ?? '/bin/sh';
