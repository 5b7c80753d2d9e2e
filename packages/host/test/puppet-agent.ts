import type { AgentInfo } from '@agenthost/protocol';
import { AgentError } from '../src/agents/errors.ts';
import type {
  AgentProvider,
  AgentSession,
  ClientToken,
  OpenAgentSession,
  ResolvedConfig,
} from '../src/agents/provider.ts';
import type { TurnInput, TurnOutput } from '../src/agents/turn.ts';

/** A turn whose agent the test plays. */
export interface PuppetTurn {
  readonly input: TurnInput;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
  /** Whether the agent was asked to continue the turn [CHAT-23]. */
  readonly isResumed: boolean;
  /** Ends the turn on the agent's side. */
  complete(): void;
  fail(error: Error): void;
}

/** An agent that the test plays, turn by turn. */
export class PuppetAgent implements AgentProvider {
  readonly id: string;
  /** Turns given to it, oldest first, ended ones included. */
  readonly turns: PuppetTurn[] = [];
  /** Sessions opened, oldest first. */
  readonly opened: OpenAgentSession[] = [];
  /** A session opens after this promise, and fails when it rejects. */
  opening: Promise<void> = Promise.resolve();
  capabilities: NonNullable<AgentInfo['capabilities']> = {
    multipleChats: {},
    multipleWorkingDirectories: {},
  };
  resolveConfig?: () => Promise<ResolvedConfig>;
  completeConfig?: NonNullable<AgentProvider['completeConfig']>;
  /** Config values that the agent received, oldest first. */
  readonly configured: Readonly<Record<string, unknown>>[] = [];
  /** Answers steering messages for its sessions. Absent: they take none. */
  steer: NonNullable<AgentSession['steer']> | undefined;
  /** Whether failed turns can be resumed. */
  resumesTurns = false;
  /** Whether it resumes turns only of chats with a saved memory. */
  resumesOnlyWithMemory = false;
  /** Whether it applies rules for certain files itself. */
  scopesRules = false;
  toolsChangedCount = 0;
  /** Ids of the processes of its sessions. */
  pids: readonly number[] = [];
  takesHistory = true;
  answersTools = false;
  models: AgentInfo['models'] = [];
  protectedResources: AgentInfo['protectedResources'];
  /** Tokens that it was given, oldest first. */
  readonly tokens: ClientToken[] = [];
  /** Whether it refuses every token. */
  refusesTokens = false;
  terminateCount = 0;
  closeCount = 0;

  constructor(id = 'puppet') {
    this.id = id;
  }

  /** The newest turn. Throws when there is none. */
  get turn(): PuppetTurn {
    const turn = this.turns.at(-1);
    if (turn === undefined) throw new Error('the agent has not been given a turn');
    return turn;
  }

  describe(): AgentInfo {
    return {
      provider: this.id,
      displayName: 'Puppet',
      description: 'Does what a test says',
      models: this.models,
      capabilities: this.capabilities,
      ...(this.protectedResources === undefined ? {} : { protectedResources: this.protectedResources }),
    };
  }

  authenticate(token: ClientToken): Promise<void> {
    if (this.refusesTokens) return Promise.reject(new AgentError('authRequired', 'The token is not valid'));
    this.tokens.push(token);
    return Promise.resolve();
  }

  canResumeTurns(memory: unknown): boolean {
    return this.resumesTurns && (memory !== undefined || !this.resumesOnlyWithMemory);
  }

  availability(): Promise<{ available: boolean }> {
    return Promise.resolve({ available: true });
  }

  async openSession(request: OpenAgentSession): Promise<AgentSession> {
    await this.opening;
    this.opened.push(request);
    const begin =
      (isResumed: boolean): AgentSession['runTurn'] =>
      (input, output, signal) =>
        new Promise((resolve, reject) => {
          this.turns.push({ input, output, signal, isResumed, complete: resolve, fail: reject });
        });
    return {
      runTurn: begin(false),
      resumeTurn: begin(true),
      scopesRules: this.scopesRules,
      ...(this.steer === undefined
        ? {}
        : { steer: (message) => this.steer?.(message) ?? Promise.resolve(false) }),
      setConfig: async (values) => {
        this.configured.push(values);
      },
      toolsChanged: () => {
        this.toolsChangedCount += 1;
      },
      processIds: () => this.pids,
      close: async () => {
        this.closeCount += 1;
      },
      terminate: async () => {
        this.terminateCount += 1;
      },
    };
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }
}
