import { AgentError, type AgentSessionHost, type TurnOutput } from '@agenthost/host/agent';
import type { SeededRandom } from './seeded-random.ts';

/** Dependencies of a simulated command. */
export interface CommandParts {
  readonly random: SeededRandom;
  readonly output: TurnOutput;
  readonly host: AgentSessionHost;
  readonly signal: AbortSignal;
  readonly turnId: string;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
}

/** Longest life of a simulated command in milliseconds. */
const MOST_MS = 5_000;

/**
 * Runs a command in a terminal of the chat, shown by a tool call. Ends it after some seconds. Its terminal then stays in the history, or is
 * removed. Never rejects because a terminal cannot be started.
 */
export async function simulateCommand(parts: CommandParts): Promise<void> {
  const { random, output, host, signal, turnId, timers } = parts;
  const toolCallId = `command-${random.hex(6)}`;
  const call = output.toolCall({ toolCallId, toolName: 'shell', displayName: 'Shell' });
  const toolInput = `make ${random.hex(3)}`;
  call.run({ invocationMessage: toolInput, toolInput });
  try {
    const terminal = await host.terminal({ command: toolInput, use: { turnId, toolCallId } });
    const { uri: resource, title } = terminal;
    call.content([{ type: 'terminal', resource, title }]);
    const end = (): void => void terminal.kill();
    timers.after(random.between(0, MOST_MS), end);
    signal.addEventListener('abort', end);
    await Promise.race([terminal.exited, terminal.detached]);
    signal.removeEventListener('abort', end);
    const { text: preview, isTruncated: truncated, exitCode } = terminal.output(100);
    const result = exitCode === undefined ? {} : { result: { exitCode, preview, truncated } };
    const content = [{ type: 'terminal' as const, resource, title, ...result }];
    await call.complete({ success: exitCode === 0, pastTenseMessage: toolInput, content });
    terminal.use(undefined);
    if (random.chance(0.4)) await terminal.release();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    await call.complete({ success: false, pastTenseMessage: toolInput });
  }
}
