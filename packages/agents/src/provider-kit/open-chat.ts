import {
  type AgentCommand,
  type AgentProvider,
  type AgentSession,
  type AgentSessionHost,
  type AgentStartStep,
  type AgentTerminal,
  type AgentTerminalStart,
  type ClientTool,
  type HostTool,
  type OpenAgentSession,
  type ResolvedConfig,
  type TurnInput,
  UnreadableResource,
} from '@agenthost/host/agent';
import type { MessageAttachment, Turn } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { RecordingTerminal } from './recording-terminal.ts';
import { RecordingTurn } from './recording-turn.ts';

/** A session host that records the calls of an agent session. */
export class RecordingSessionHost implements AgentSessionHost {
  /** Reported steps of the start. */
  readonly steps: AgentStartStep[] = [];
  memory: unknown;
  readonly titles: string[] = [];
  readonly configs: ResolvedConfig[] = [];
  readonly exits: string[] = [];
  commandList: readonly AgentCommand[] = [];
  /** Tools offered by active clients; call the session's `toolsChanged` after a change. */
  offered: readonly ClientTool[] = [];
  /** Tools offered by the host. */
  ownTools: readonly HostTool[] = [];
  /** Started terminals, oldest first. */
  readonly terminals: RecordingTerminal[] = [];
  /** Plays the process of a new terminal. Throws to refuse the terminal. */
  onTerminal: (terminal: RecordingTerminal) => void = () => undefined;

  saveMemory(memory: unknown): void {
    // The value passes through JSON, as at a restart.
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

  isPrivate(_realPath: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** What `privatePaths` resolves with. */
  hidden: readonly string[] = [];

  privatePaths(): Promise<readonly string[]> {
    return Promise.resolve(this.hidden);
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

  hostTools(): readonly HostTool[] {
    return this.ownTools;
  }

  ready(): Promise<void> | undefined {
    return undefined;
  }

  exited(reason: string): void {
    this.exits.push(reason);
  }
}

/** Options of `openChat`. */
export interface OpenChatOptions {
  /** Absolute path; must exist. */
  workingDirectory: string;
  moreDirectories?: readonly string[];
  config?: Readonly<Record<string, unknown>>;
  /** Memory that an earlier session of the chat saved. */
  memory?: unknown;
  history?: readonly Turn[];
  /** Ends the attempt to open the session. Default: the attempt is never abandoned. */
  signal?: AbortSignal;
}

/** A running turn. */
export interface RunningTurn {
  readonly output: RecordingTurn;
  /** Cancels the turn. */
  readonly controller: AbortController;
  /** Settles like `runTurn`; the recording turn has ended by then. */
  readonly done: Promise<void>;
}

/** An open agent session with a recording host. */
export interface OpenChat {
  readonly session: AgentSession;
  readonly host: RecordingSessionHost;
  /** Runs one turn. Ids default to `turn-1`, `turn-2`, … */
  prompt(
    text: string,
    options?: {
      turnId?: string;
      model?: string;
      attachments?: MessageAttachment[];
      /** Default: rejects, because there are no files. */
      readResource?: TurnInput['readResource'];
      context?: string[];
      instructions?: string;
      /** Tools of a custom agent. */
      tools?: string[];
      /** Rules for certain files. */
      rules?: TurnInput['rules'];
      /** True: the session continues the turn, which failed before. */
      isResumed?: boolean;
    },
  ): RunningTurn;
}

/** Opens a chat with a provider, without a host. Rejects like `openSession`. */
export async function openChat(provider: AgentProvider, options: OpenChatOptions): Promise<OpenChat> {
  const host = new RecordingSessionHost();
  host.memory = options.memory;
  const request: OpenAgentSession = {
    session: 'ahp-session:/1',
    chat: 'ahp-chat:/1',
    workingDirectory: options.workingDirectory,
    ...(options.moreDirectories === undefined ? {} : { moreDirectories: options.moreDirectories }),
    config: options.config ?? {},
    memory: options.memory,
    history: async () => options.history ?? [],
    onStep: (step) => void host.steps.push(step),
    host,
  };
  const session = await provider.openSession(request, options.signal ?? new AbortController().signal);
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
        ...defined({ instructions: turn.instructions, tools: turn.tools, rules: turn.rules }),
        locale: 'en',
        readResource: turn.readResource ?? ((uri) => Promise.reject(new UnreadableResource('missing', uri))),
      };
      const run = turn.isResumed === true ? session.resumeTurn : session.runTurn;
      if (run === undefined) throw new Error('the agent cannot resume turns');
      const done = run.call(session, input, output, controller.signal).finally(() => output.end());
      // A test may await `done` late, so its rejection must not count as unhandled.
      done.catch(() => undefined);
      return { output, controller, done };
    },
  };
}
