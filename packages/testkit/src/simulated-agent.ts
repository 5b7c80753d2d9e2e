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

/** Options of the simulated agent. Its turns depend only on the seed and their id. */
export interface SimulatedAgentOptions extends TurnOptions {
  readonly steer?: Partial<SteerWeights>;
  /** Least and greatest number of steps of a turn. Default 2 to 12. */
  readonly steps?: readonly [number, number];
}

const STEER: SteerWeights = { take: 6, refuse: 3, fail: 1, late: 1 };

/** Provider id of the simulated agent. */
export const SIMULATED_AGENT = 'simulated';

/** Creates an agent whose turns depend only on the seed and the turn's id, with injected time. */
export function createSimulatedAgent(options: SimulatedAgentOptions): AgentProvider {
  return {
    id: SIMULATED_AGENT,
    describe: () => ({
      provider: SIMULATED_AGENT,
      displayName: 'Simulated',
      description: 'Follows a seed',
      models: [],
      capabilities: { multipleChats: { fork: true, sideChat: true } },
    }),
    availability: async () => ({ available: true, source: 'testkit' }),
    openSession: async (request) => new SimulatedSession(request, options),
    dispose: async () => undefined,
  };
}

class SimulatedSession implements AgentSession {
  readonly #request: OpenAgentSession;
  readonly #options: SimulatedAgentOptions;
  /** The running turn and its end. */
  #running: { readonly turnId: string; readonly over: PromiseWithResolvers<void> } | undefined;
  #isOver = false;

  constructor(request: OpenAgentSession, options: SimulatedAgentOptions) {
    this.#request = request;
    this.#options = options;
  }

  async runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    const { seed, steps: [least, most] = [2, 12] } = this.#options;
    const random = SeededRandom.of(seed, input.turnId);
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
