import {
  AgentError,
  type AgentProvider,
  type AgentSession,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import { SeededRandom } from './seeded-random.ts';
import { SimulatedTurn, type TurnOptions } from './simulated-turn.ts';

/** Weights of reactions to a steering message. */
export interface SteerWeights {
  /** Takes it, at once or later. */
  readonly take: number;
  readonly refuse: number;
  readonly fail: number;
  /** Answers after the turn has ended. */
  readonly late: number;
}

/** Options of the simulated agent. */
export interface SimulatedAgentOptions extends TurnOptions {
  readonly steer?: Partial<SteerWeights>;
  /** Least and greatest number of steps of a turn. Default 2 to 12. */
  readonly steps?: readonly [number, number];
}

const STEER: SteerWeights = { take: 6, refuse: 3, fail: 1, late: 1 };

/** Begins the text of a message whose turn fails until it is resumed. */
export const FAILING = 'fail ';

/** What a session can do with its first working directory. The seed decides. */
const DIRECTORIES = [{ primaryReplacement: true }, { immutablePrimary: true }, {}] as const;

/** Provider id of the simulated agent. */
export const SIMULATED_AGENT = 'simulated';

/** Creates an agent whose turns depend only on the seed, the turn's id and the number of earlier attempts, with injected time. */
export function createSimulatedAgent(options: SimulatedAgentOptions): AgentProvider {
  const resumptions = { count: 0 };
  return {
    id: SIMULATED_AGENT,
    describe: () => ({
      provider: SIMULATED_AGENT,
      displayName: 'Simulated',
      description: 'Follows a seed',
      models: [],
      capabilities: {
        multipleChats: { fork: true, sideChat: true },
        multipleWorkingDirectories: DIRECTORIES[options.seed % DIRECTORIES.length] ?? {},
      },
    }),
    availability: async () => ({ available: true, source: 'testkit' }),
    canResumeTurns: () => true,
    openSession: async (request) => new SimulatedSession(request, options, resumptions),
    dispose: async () => undefined,
  };
}

class SimulatedSession implements AgentSession {
  readonly #request: OpenAgentSession;
  readonly #options: SimulatedAgentOptions;
  /** How many turns the agent has continued. */
  readonly #resumptions: { count: number };
  /** The running turn and its end. */
  #running: { readonly turnId: string; readonly over: PromiseWithResolvers<void> } | undefined;
  #isOver = false;

  constructor(request: OpenAgentSession, options: SimulatedAgentOptions, resumptions: { count: number }) {
    this.#resumptions = resumptions;
    this.#request = request;
    this.#options = options;
  }

  runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    return this.#run(input, output, signal, input.turnId);
  }

  /** The rest of the turn differs from its first part, and from each other attempt. */
  resumeTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    this.#resumptions.count += 1;
    return this.#run(input, output, signal, `${input.turnId} again ${this.#resumptions.count}`);
  }

  async #run(input: TurnInput, output: TurnOutput, signal: AbortSignal, name: string): Promise<void> {
    const { seed, steps: [least, most] = [2, 12] } = this.#options;
    const random = SeededRandom.of(seed, name);
    const turn = new SimulatedTurn({
      random,
      output,
      options: this.#options,
      host: this.#request.host,
      signal,
      place: { chat: this.#request.chat, turnId: input.turnId },
    });
    const running = { turnId: input.turnId, over: Promise.withResolvers<void>() };
    this.#running = running;
    try {
      if (name === input.turnId && input.message.text.startsWith(FAILING)) {
        await output.markdown('half a ');
        throw new AgentError('agentError', 'the schedule says so');
      }
      await this.#steps(turn, random.between(least, most), signal);
    } finally {
      this.#running = undefined;
      running.over.resolve();
    }
  }

  async steer({ text }: Message): Promise<boolean> {
    const { seed, steer, timers, pauseMs: [least, most] = [0, 200] } = this.#options;
    const running = this.#running;
    if (running === undefined) return false;
    const random = SeededRandom.of(seed, `${running.turnId} ${text}`);
    const how = random.weighted({ ...STEER, ...steer });
    if (how === 'late') await running.over.promise;
    else await new Promise<void>((resolve) => void timers.after(random.between(least, most), resolve));
    if (how === 'fail') throw new AgentError('agentError', 'the schedule says so');
    return how === 'take' || (how === 'late' && random.chance(0.5));
  }

  async #steps(turn: SimulatedTurn, stepCount: number, signal: AbortSignal): Promise<void> {
    for (let step = 0; step < stepCount && !this.#isOver && !signal.aborted; step += 1) {
      await turn.step();
      await turn.pause();
    }
    await turn.end();
  }

  async close(): Promise<void> {
    this.#isOver = true;
  }

  async terminate(): Promise<void> {
    this.#isOver = true;
  }
}
