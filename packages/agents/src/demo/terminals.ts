import {
  type AgentSessionHost,
  type AgentTerminal,
  endOf,
  type ToolCallHandle,
  terminalText,
} from '@agenthost/host/agent';
import type { ToolCallResult, ToolResultContent } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { type Scene, speak } from './scene.ts';
import { ALLOW_ONCE, DENY, refused } from './tool-calls.ts';

/** Output of a command that a call keeps, in bytes. */
const PREVIEW_BYTES = 16 * 1024;
/** Terminals of ended commands that are kept. The oldest is removed first. */
const MAX_ENDED = 4;

/** The terminals of one conversation with the demo agent. */
export class DemoTerminals {
  readonly #host: AgentSessionHost;

  readonly #ended: AgentTerminal[] = [];
  /** The terminal that `peek`, `type` and `kill` use. */
  #last: AgentTerminal | undefined;

  constructor(host: AgentSessionHost) {
    this.#host = host;
  }

  /**
   * `run`: waits for the end of the command. A cancelled turn ends the command; a command sent to the
   * background continues.
   */
  async run(scene: Scene, command: string): Promise<void> {
    await this.#start(
      scene,
      { toolName: 'run_command', displayName: 'Run command' },
      command,
      async (call, terminal) => {
        const end = await endOf(terminal, scene.signal);
        if (end === 'aborted') await terminal.kill();
        const { exitCode } = end === 'detached' ? { exitCode: undefined } : await terminal.exited;
        terminal.use(undefined);
        if (exitCode !== undefined) await this.#retire(terminal);
        scene.signal.throwIfAborted();
        const isFailure = exitCode !== undefined && exitCode !== 0;
        await call.complete({
          success: !isFailure,
          pastTenseMessage: {
            markdown: exitCode === undefined ? `Left \`${command}\` running` : `Ran \`${command}\``,
          },
          content: this.#result(terminal),
          ...(isFailure ? { error: { message: `Exit code ${exitCode}` } } : {}),
        });
        const outcome =
          exitCode === undefined
            ? 'was sent to the background and continues there.'
            : `ended with exit code ${exitCode}.`;
        await speak(scene, 'markdown', `\`${command}\` ${outcome}`);
      },
    );
  }

  /** `serve`: the call ends at once, the command continues. */
  async serve(scene: Scene, command: string): Promise<void> {
    await this.#start(
      scene,
      { toolName: 'start_server', displayName: 'Start server' },
      command,
      async (call, terminal) => {
        await call.complete({
          success: true,
          pastTenseMessage: { markdown: `Started \`${command}\`` },
          content: this.#result(terminal),
        });
        terminal.use(undefined);
        await speak(scene, 'markdown', `\`${command}\` runs in the background.`);
      },
    );
  }

  /** `peek`: uses the terminal again for the duration of the call. */
  async peek(scene: Scene): Promise<void> {
    await this.#withLast(
      scene,
      { toolName: 'read_terminal', displayName: 'Read terminal' },
      async (terminal) => {
        const { text } = terminalText(terminal, PREVIEW_BYTES);
        const { exitCode } = terminal.output(0);
        const state =
          exitCode === undefined ? 'It is still running.' : `It has ended with exit code ${exitCode}.`;
        return {
          result: {
            success: true,
            pastTenseMessage: `Read ${terminal.title}`,
            content: this.#result(terminal),
          },
          words: `\`${terminal.title}\` has printed:\n\n\`\`\`\n${text.trimEnd()}\n\`\`\`\n\n${state}`,
        };
      },
    );
  }

  /** `type`: types one line. */
  async type(scene: Scene, text: string): Promise<void> {
    await this.#withLast(scene, { toolName: 'type', displayName: 'Type' }, async (terminal) => {
      terminal.write(`${text}\r`);
      return {
        result: {
          success: true,
          pastTenseMessage: `Typed into ${terminal.title}`,
          content: [live(terminal)],
        },
        words: `Typed \`${text}\` into \`${terminal.title}\`.`,
      };
    });
  }

  /** `kill`: ends the command. */
  async kill(scene: Scene): Promise<void> {
    await this.#withLast(scene, { toolName: 'kill', displayName: 'Kill' }, async (terminal) => {
      await terminal.kill();
      const { exitCode } = await terminal.exited;
      return {
        result: {
          success: true,
          pastTenseMessage: `Ended ${terminal.title}`,
          content: this.#result(terminal),
        },
        words: `\`${terminal.title}\` has ended with exit code ${exitCode}.`,
      };
    });
  }

  /** Asks if needed, then starts the command and shows its terminal. */
  async #start(
    scene: Scene,
    tool: { toolName: string; displayName: string },
    command: string,
    go: (call: ToolCallHandle, terminal: AgentTerminal) => Promise<void>,
  ): Promise<void> {
    const call = scene.output.toolCall({ ...tool, kind: 'execute' });
    const ready = { invocationMessage: { markdown: `Run \`${command}\`` }, toolInput: command };
    if (scene.asksBeforeWriting) {
      const given = await call.confirm({
        ...ready,
        confirmationTitle: `Run ${command}?`,
        options: [ALLOW_ONCE, DENY],
      });
      scene.signal.throwIfAborted();
      if (!given.approved) return speak(scene, 'markdown', refused(given, `\`${command}\` was not run.`));
    } else {
      call.run(ready);
    }
    const terminal = await this.#open(scene, call, command);
    if (terminal === undefined) return;
    this.#last = terminal;
    call.content([live(terminal)]);
    await go(call, terminal);
  }

  async #open(scene: Scene, call: ToolCallHandle, command: string): Promise<AgentTerminal | undefined> {
    try {
      return await this.#host.terminal({ command, use: { turnId: scene.turnId, toolCallId: call.id } });
    } catch (cause) {
      const message = errorText(cause);
      await call.complete({
        success: false,
        pastTenseMessage: { markdown: `\`${command}\` was not started` },
        error: { message },
      });
      await speak(scene, 'markdown', `\`${command}\` could not be started: ${message}.`);
      return undefined;
    }
  }

  async #withLast(
    scene: Scene,
    tool: { toolName: string; displayName: string },
    act: (terminal: AgentTerminal) => Promise<{ result: ToolCallResult; words: string }>,
  ): Promise<void> {
    const terminal = this.#last;
    if (terminal === undefined) {
      return speak(scene, 'markdown', 'There is no terminal yet. Start one with `run` or `serve`.');
    }
    const call = scene.output.toolCall(tool);
    call.run({ invocationMessage: `${tool.displayName}: ${terminal.title}` });
    terminal.use({ turnId: scene.turnId, toolCallId: call.id });
    call.content([live(terminal)]);
    const { result, words } = await act(terminal);
    terminal.use(undefined);
    await call.complete(result);
    await speak(scene, 'markdown', words);
  }

  /** The result of a call: the output, and the terminal if it still runs. */
  #result(terminal: AgentTerminal): ToolResultContent[] {
    const { text, isTruncated } = terminalText(terminal, PREVIEW_BYTES);
    const { exitCode } = terminal.output(0);
    if (exitCode === undefined)
      return [live(terminal), ...(text === '' ? [] : [{ type: 'text' as const, text }])];
    return [{ ...live(terminal), result: { preview: text, truncated: isTruncated, exitCode } }];
  }

  /** A command has ended: its terminal is kept for a while. */
  async #retire(terminal: AgentTerminal): Promise<void> {
    this.#ended.push(terminal);
    const gone = this.#ended.splice(0, this.#ended.length - MAX_ENDED);
    await Promise.all(gone.map((each) => each.release()));
  }
}

function live(terminal: AgentTerminal): Extract<ToolResultContent, { type: 'terminal' }> {
  return { type: 'terminal', resource: terminal.uri, title: terminal.title };
}
