import type { ToolResultContent } from '@agenthost/protocol';
import type { AgentTerminal, AgentTerminalStart } from '../../agents/agent-terminal.ts';
import type { TurnOutput } from '../../agents/turn.ts';
import { COMMAND_PREFIX, COMMAND_TOOL } from './command.ts';
import { terminalText } from './terminal-text.ts';

/** Maximum bytes of output that stay in the chat. The terminal keeps more while it exists. */
const PREVIEW_BYTES = 64 * 1024;

/** A turn whose message is a command. */
export interface CommandTurn {
  readonly turnId: string;
  /** Labels of the message's attachments. */
  readonly attachmentLabels: readonly string[];
  readonly output: TurnOutput;
  /** Aborts when the turn is cancelled or removed. */
  readonly signal: AbortSignal;
  /** Absolute path. Rejects with `AgentError` if the folder no longer exists. */
  workingDirectory(): Promise<string>;
  /** Rejects with `AgentError` if the terminal cannot be started. */
  terminal(start: AgentTerminalStart & { readonly cwd: string }): Promise<AgentTerminal>;
  /**
   * True when the signal aborted because the host stops. The command then continues if terminals outlive the
   * host.
   */
  isHostStopping(): boolean;
  /** Called when the command has ended. Its terminal is kept for viewing for a while. */
  ended(terminal: AgentTerminal): void;
}

/**
 * Runs a message that is a command [CHAT-17], as one tool call that shows the terminal while it runs and the
 * result at the end. Resolves when the command has ended, was sent to the background, or the signal aborted.
 * Rejects with `AgentError` if the command cannot be run.
 */
export async function runCommand(command: string, turn: CommandTurn): Promise<void> {
  const { turnId, output, signal, attachmentLabels } = turn;
  if (attachmentLabels.length > 0)
    output.notify(`Attachments are not passed to a command: ${attachmentLabels.join(', ')}.`);
  if (command === '') {
    output.notify(
      `The command is empty. Write it after the \`${COMMAND_PREFIX}\`, as in \`${COMMAND_PREFIX}git status\`.`,
    );
    return;
  }
  const call = output.toolCall({ toolName: COMMAND_TOOL, displayName: 'Terminal' });
  call.run({ invocationMessage: command, toolInput: command });
  const cwd = await turn.workingDirectory();
  if (signal.aborted) return;
  const terminal = await turn.terminal({ command, cwd, use: { turnId, toolCallId: call.id } });
  const block: Extract<ToolResultContent, { type: 'terminal' }> = {
    type: 'terminal',
    resource: terminal.uri,
    title: terminal.title,
  };
  call.content([block]);
  const end = await endOf(terminal, signal);
  if (end === 'aborted' && !turn.isHostStopping()) await terminal.kill();
  // Completing the call sends the terminal to the background in the same transaction.
  if (end === 'exited' || end === 'aborted') turn.ended(terminal);
  if (end === 'aborted') return;
  const { text, isTruncated } = terminalText(terminal, PREVIEW_BYTES);
  const { exitCode } = end === 'exited' ? await terminal.exited : { exitCode: undefined };
  const isFailure = exitCode !== undefined && exitCode !== 0;
  await call.complete({
    success: !isFailure,
    pastTenseMessage: exitCode === undefined ? `${command} (continues in the background)` : command,
    // The output so far of a command in the background is text: it has no result yet.
    content:
      exitCode === undefined
        ? [block, ...(text === '' ? [] : [{ type: 'text' as const, text }])]
        : [{ ...block, result: { preview: text, truncated: isTruncated, exitCode } }],
    ...(isFailure ? { error: { message: `exit code ${exitCode}` } } : {}),
  });
  // No turn follows a command in the background.
  if (end === 'detached') await terminal.release();
}

/** How waiting for a terminal ended. */
export type TerminalEnd = 'exited' | 'detached' | 'aborted';

/**
 * Waits until a terminal's process has ended, a person has sent it to the background, or the signal aborts.
 */
export function endOf(terminal: AgentTerminal, signal: AbortSignal): Promise<TerminalEnd> {
  const { promise, resolve } = Promise.withResolvers<TerminalEnd>();
  const abort = (): void => resolve('aborted');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  void terminal.exited.then(() => resolve('exited'));
  void terminal.detached.then(() => resolve('detached'));
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
