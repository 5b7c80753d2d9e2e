import {
  type AgentCommand,
  type AgentProvider,
  type AgentSession,
  type AgentSessionHost,
  type AgentStartStep,
  type AgentTerminal,
  type AgentTerminalStart,
  type ClientTool,
  type OpenAgentSession,
  type ResolvedConfig,
  type TurnInput,
  UnreadableResource,
} from '@agenthost/host/agent';
import type { MessageAttachment, Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RecordingTerminal } from './recording-terminal.ts';
import { RecordingTurn } from './recording-turn.ts';

export type { RecordedAsk } from './recording-ask.ts';
export type { RecordedCall, RecordedCallStatus } from './recording-call.ts';
export { RecordingTerminal } from './recording-terminal.ts';
export { RecordingTurn, type TurnEvent } from './recording-turn.ts';

/** A session host that records what an agent session tells it. */
export class RecordingSessionHost implements AgentSessionHost {
  /** How far the start has come, step by step. */
  readonly steps: AgentStartStep[] = [];
  memory: unknown;
  readonly titles: string[] = [];
  readonly configs: ResolvedConfig[] = [];
  readonly exits: string[] = [];
  commandList: readonly AgentCommand[] = [];
  /** What active clients offer; tell the session by its `toolsChanged`. */
  offered: readonly ClientTool[] = [];
  /** Terminals started, oldest first. */
  readonly terminals: RecordingTerminal[] = [];
  /** Plays the process of a terminal that was just started; throw to refuse it. */
  onTerminal: (terminal: RecordingTerminal) => void = () => undefined;

  saveMemory(memory: unknown): void {
    // As over a restart: what is handed back has been JSON in between.
    this.memory = JSON.parse(JSON.stringify(memory));
  }

  title(title: string): void {
    this.titles.push(title);
  }

  config(config: ResolvedConfig): void {
    this.configs.push(config);
  }

  commands(commands: readonly AgentCommand[]): void {
    this.commandList = commands;
  }

  isPrivate(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async terminal(start: AgentTerminalStart): Promise<AgentTerminal> {
    const terminal = new RecordingTerminal(`ahp-terminal:/${this.terminals.length + 1}`, start);
    this.onTerminal(terminal);
    this.terminals.push(terminal);
    return terminal;
  }

  clientTools(): readonly ClientTool[] {
    return this.offered;
  }

  ready(): Promise<void> | undefined {
    return undefined;
  }

  exited(reason: string): void {
    this.exits.push(reason);
  }
}

/** What `openChat` takes beside the provider. */
export interface OpenChatOptions {
  /** Absolute path; exists. */
  workingDirectory: string;
  config?: Readonly<Record<string, unknown>>;
  /** What an earlier session of the chat saved. */
  memory?: unknown;
  history?: readonly Turn[];
}

/** A prompt's turn under way. */
export interface RunningTurn {
  readonly output: RecordingTurn;
  /** Cancels. */
  readonly controller: AbortController;
  /** Settles as `runTurn` does; the recording turn is over by then. */
  readonly done: Promise<void>;
}

/** An open agent session with a recording host around it. */
export interface OpenChat {
  readonly session: AgentSession;
  readonly host: RecordingSessionHost;
  /** Runs one turn. The id defaults to `turn-1`, `turn-2`, … */
  prompt(
    text: string,
    options?: {
      turnId?: string;
      model?: string;
      attachments?: MessageAttachment[];
      /** Default: there are no files. */
      readResource?: TurnInput['readResource'];
      context?: string[];
      instructions?: string;
    },
  ): RunningTurn;
}

/** Opens a chat on a provider without any host. Rejects as `openSession` does. */
export async function openChat(provider: AgentProvider, options: OpenChatOptions): Promise<OpenChat> {
  const host = new RecordingSessionHost();
  host.memory = options.memory;
  const request: OpenAgentSession = {
    session: 'ahp-session:/1',
    chat: 'ahp-chat:/1',
    workingDirectory: options.workingDirectory,
    config: options.config ?? {},
    memory: options.memory,
    history: async () => options.history ?? [],
    onStep: (step) => void host.steps.push(step),
    host,
  };
  const session = await provider.openSession(request, new AbortController().signal);
  let turnCount = 0;
  return {
    session,
    host,
    prompt(text, turn = {}) {
      turnCount += 1;
      const output = new RecordingTurn();
      const controller = new AbortController();
      const input: TurnInput = {
        turnId: turn.turnId ?? `turn-${turnCount}`,
        message: {
          text,
          origin: { kind: 'user' },
          ...(turn.model === undefined ? {} : { model: { id: turn.model } }),
          ...defined({ attachments: turn.attachments }),
        },
        context: turn.context ?? [],
        ...defined({ instructions: turn.instructions }),
        locale: 'en',
        readResource: turn.readResource ?? ((uri) => Promise.reject(new UnreadableResource('missing', uri))),
      };
      const done = session.runTurn(input, output, controller.signal).finally(() => output.end());
      // A test that cancels may look at it later; the rejection is its to see, not the process's.
      done.catch(() => undefined);
      return { output, controller, done };
    },
  };
}
