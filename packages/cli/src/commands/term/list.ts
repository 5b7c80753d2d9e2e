import type { AhpClient } from '@agenthost/client';
import { ErrorCodes, type TerminalInfo, type TerminalState } from '@agenthost/protocol';
import { withHost } from '../../host-link/connect.ts';
import type { HostOptions } from '../../host-link/find-host.ts';
import { wireCodeOf } from '../../host-link/host-errors.ts';
import { listedTerminals, shortId } from '../../input/ids.ts';
import type { Context } from '../../process/context.ts';
import { EXIT } from '../../process/exit.ts';
import { commandLine } from '../../process/own-command.ts';
import { cellsOf, cutToCells, homely, oneLine } from '../../render/plain-text.ts';
import type { Screen } from '../../render/screen.ts';
import { shownPath } from '../../render/tool-call.ts';
import { holderText } from '../../term/holding.ts';

/** Options of `term list` as parsed. */
export interface TermListOptions extends HostOptions {
  readonly long?: boolean;
  readonly json?: boolean;
}

/** `term list`: one line each, in the host's order. */
export async function listTerminals(
  context: Context,
  screen: Screen,
  options: TermListOptions,
): Promise<number> {
  return withHost(context, screen, options, async ({ client }) => {
    const terminals = await listedTerminals(client);
    if (options.json !== true && terminals.length > 0)
      screen.columnNames(options.long === true ? `${TERMINAL_COLUMNS}, SIZE, FOLDER` : TERMINAL_COLUMNS);
    for (const [index, terminal] of terminals.entries()) {
      if (context.outputClosed.aborted) break;
      const state = options.long === true ? await stateOf(client, terminal) : undefined;
      if (options.json === true) screen.json(details(terminal, state));
      else {
        const line = terminalLine(terminal, index + 1, { home: context.home, state });
        screen.line(cutToCells(line, screen.windowColumns ?? Number.POSITIVE_INFINITY));
      }
    }
    if (terminals.length === 0 && options.json !== true) {
      screen.note(`no terminals; \`${commandLine('term new')}\` creates one`);
    }
    return EXIT.done;
  });
}

/** State of a terminal from its channel; `undefined` if the terminal is gone. */
async function stateOf(client: AhpClient, { resource }: TerminalInfo): Promise<TerminalState | undefined> {
  try {
    const terminal = await client.terminal(resource);
    const { state } = terminal;
    terminal.close();
    return state;
  } catch (error) {
    if (wireCodeOf(error) === ErrorCodes.NotFound) return undefined;
    throw error;
  }
}

function details(terminal: TerminalInfo, state: TerminalState | undefined): object {
  if (state === undefined) return terminal;
  const { content: _, ...rest } = state;
  return { ...terminal, ...rest };
}

/** Options of a terminal line. */
export interface TerminalLineOptions {
  readonly home: string;
  /** With it, size and folder show. */
  readonly state?: TerminalState | undefined;
}

/** The names of the columns of `terminalLine`. */
const TERMINAL_COLUMNS = `${'#'.padStart(2)}  ${'ID'.padEnd(8)}  ${'STATE'.padEnd(10)}  ${'HELD BY'.padEnd(19)}  TITLE`;

/** A terminal on one line. */
export function terminalLine(
  { resource, title, claim, lifecycle }: TerminalInfo,
  number: number,
  { home, state }: TerminalLineOptions,
): string {
  const cells = [
    String(number).padStart(2),
    shortId(resource).padEnd(8),
    (lifecycle.status === 'running' ? 'running' : `exited ${lifecycle.exitCode ?? ''}`).padEnd(10),
    padTo(holderText(resource, claim), 19),
    oneLine(title, 60) || '(no title)',
  ];
  if (state !== undefined) {
    cells.push(`${state.cols ?? 80}x${state.rows ?? 24}`);
    if (state.cwd !== undefined) cells.push(oneLine(homely(shownPath(state.cwd), home)));
  }
  return cells.join('  ');
}

const padTo = (text: string, cells: number): string => text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
