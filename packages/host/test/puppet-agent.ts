import type { AgentInfo } from '@agenthost/protocol';
import type {
  AgentProvider,
  AgentSession,
  OpenAgentSession,
  ResolvedConfig,
} from '../src/agents/provider.ts';
import type { TurnInput, TurnOutput } from '../src/agents/turn.ts';

/** A turn that a test plays the agent of. */
export interface PuppetTurn {
  readonly input: TurnInput;
  readonly output: TurnOutput;
  readonly signal: AbortSignal;
  /** The agent has done its part. */
  complete(): void;
  fail(error: Error): void;
}

/** An agent that does what a test tells it, turn by turn. */
export class PuppetAgent implements AgentProvider {
  readonly id: string;
  /** Turns given to it, oldest first, ended ones included. */
  readonly turns: PuppetTurn[] = [];
  /** Sessions opened, oldest first. */
  readonly opened: OpenAgentSession[] = [];
  /** Awaited before a session opens; reject it to refuse. */
  opening: Promise<void> = Promise.resolve();
  capabilities: NonNullable<AgentInfo['capabilities']> = { multipleChats: {} };
  resolveConfig?: () => Promise<ResolvedConfig>;
  completeConfig?: NonNullable<AgentProvider['completeConfig']>;
  /** Values that it was told of, oldest first. */
  readonly configured: Readonly<Record<string, unknown>>[] = [];
  /** Plays what its sessions do with a steering message; absent: they take none. */
  steer: NonNullable<AgentSession['steer']> | undefined;
  toolsChangedCount = 0;
  takesHistory = true;
  models: AgentInfo['models'] = [];
  terminateCount = 0;
  closeCount = 0;

  constructor(id = 'puppet') {
    this.id = id;
  }

  /** The turn given last; throws when there is none. */
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
    };
  }

  availability(): Promise<{ available: boolean }> {
    return Promise.resolve({ available: true });
  }

  async openSession(request: OpenAgentSession): Promise<AgentSession> {
    await this.opening;
    this.opened.push(request);
    return {
      runTurn: (input, output, signal) =>
        new Promise((resolve, reject) => {
          this.turns.push({ input, output, signal, complete: resolve, fail: reject });
        }),
      ...(this.steer === undefined
        ? {}
        : { steer: (message) => this.steer?.(message) ?? Promise.resolve(false) }),
      setConfig: async (values) => {
        this.configured.push(values);
      },
      toolsChanged: () => {
        this.toolsChangedCount += 1;
      },
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
