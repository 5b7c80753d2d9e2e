import {
  AgentError,
  type AgentProvider,
  type AgentSession,
  type AgentSessionHost,
  type OpenAgentSession,
  type ToolCallHandle,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host';
import type { Message } from '@agenthost/protocol';
import { SeededRandom } from './seeded-random.ts';
import { simulateQuestions } from './simulated-questions.ts';
import { simulateWorker } from './simulated-worker.ts';

/** What the simulated agent does next in a turn, each as often as its number says. */
export interface TurnWeights {
  readonly text: number;
  readonly reasoning: number;
  readonly call: number;
  /** A tool of an active client; nothing while none is offered. */
  readonly clientTool: number;
  /** People are asked questions, and what they answer is said back. */
  readonly ask: number;
  readonly usage: number;
  readonly activity: number;
  readonly notice: number;
  readonly memory: number;
  readonly title: number;
  /** A call whose worker goes on beside the turn, in a chat of its own. */
  readonly worker: number;
}

/** How a tool call of the simulated agent goes. */
export interface CallWeights {
  /** Runs without asking. */
  readonly run: number;
  readonly ask: number;
  /** With options to choose from. */
  readonly options: number;
  readonly editable: number;
  /** Asks again while it runs. */
  readonly again: number;
  /** Its result waits for approval. */
  readonly result: number;
  /** Left open at the turn's end. */
  readonly forget: number;
}

/** How a turn of the simulated agent ends. */
export interface EndWeights {
  readonly complete: number;
  readonly error: number;
  /** The agent's process goes away. */
  readonly exit: number;
}

/** What the simulated agent does with a message that is to steer its turn. */
export interface SteerWeights {
  /** Takes it, at once or after a while. */
  readonly take: number;
  readonly refuse: number;
  readonly fail: number;
  /** Answers only when the turn is over. */
  readonly late: number;
}

/** What drives the simulated agent. */
export interface SimulatedAgentOptions {
  /** Turns differ by it and by their id, and by nothing else. */
  readonly seed: number;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
  readonly turn?: Partial<TurnWeights>;
  readonly call?: Partial<CallWeights>;
  readonly end?: Partial<EndWeights>;
  readonly steer?: Partial<SteerWeights>;
  /** Steps of one turn, at least and at most. Default 2 to 12. */
  readonly steps?: readonly [number, number];
  /** Pause between steps in ms, at least and at most. Default 0 to 200. */
  readonly pauseMs?: readonly [number, number];
}

const TURN: TurnWeights = {
  text: 10,
  reasoning: 4,
  call: 4,
  clientTool: 4,
  ask: 2,
  usage: 1,
  activity: 1,
  notice: 1,
  memory: 1,
  title: 0.5,
  worker: 0.4,
};
const CALL: CallWeights = { run: 3, ask: 3, options: 2, editable: 2, again: 1, result: 2, forget: 1 };
const END: EndWeights = { complete: 8, error: 1, exit: 0.5 };
const STEER: SteerWeights = { take: 6, refuse: 3, fail: 1, late: 1 };

/** Provider id of the simulated agent. */
export const SIMULATED_AGENT = 'simulated';

/** An agent whose every turn follows from a seed and the turn's id, at the pace of injected time. */
export function createSimulatedAgent(options: SimulatedAgentOptions): AgentProvider {
  return {
    id: SIMULATED_AGENT,
    describe: () => ({
      provider: SIMULATED_AGENT,
      displayName: 'Simulated',
      description: 'Follows a seed',
      models: [],
      capabilities: { multipleChats: { fork: true } },
    }),
    availability: async () => ({ available: true, source: 'testkit' }),
    openSession: async (request) => new SimulatedSession(request, options),
    dispose: async () => undefined,
  };
}

class SimulatedSession implements AgentSession {
  readonly #host: AgentSessionHost;
  readonly #options: SimulatedAgentOptions;
  /** The turn that runs, and its end. */
  #running: { readonly turnId: string; readonly over: PromiseWithResolvers<void> } | undefined;
  #isOver = false;

  constructor(request: OpenAgentSession, options: SimulatedAgentOptions) {
    this.#host = request.host;
    this.#options = options;
  }

  async runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    const { seed, steps: [least, most] = [2, 12] } = this.#options;
    const random = SeededRandom.of(seed, input.turnId);
    const turn = new SimulatedTurn({
      random,
      output,
      options: this.#options,
      host: this.#host,
      signal,
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

class SimulatedTurn {
  readonly #random: SeededRandom;
  readonly #output: TurnOutput;
  readonly #options: SimulatedAgentOptions;
  readonly #host: AgentSessionHost;
  readonly #signal: AbortSignal;
  readonly #waiting: Promise<void>[] = [];
  #stepCount = 0;

  constructor(parts: {
    random: SeededRandom;
    output: TurnOutput;
    options: SimulatedAgentOptions;
    host: AgentSessionHost;
    signal: AbortSignal;
  }) {
    this.#random = parts.random;
    this.#output = parts.output;
    this.#options = parts.options;
    this.#host = parts.host;
    this.#signal = parts.signal;
  }

  async step(): Promise<void> {
    this.#stepCount += 1;
    const random = this.#random;
    const text = `${this.#stepCount}:${random.hex(random.between(1, 12))} `;
    switch (random.weighted({ ...TURN, ...this.#options.turn })) {
      case 'text':
        return this.#output.markdown(text);
      case 'reasoning':
        return this.#output.reasoning(text);
      case 'usage':
        return this.#output.usage({ inputTokens: random.int(1_000), outputTokens: random.int(1_000) });
      case 'activity':
        return this.#output.activity(random.chance(0.5) ? text : undefined);
      case 'notice':
        return this.#output.notify(text);
      case 'memory':
        return this.#host.saveMemory({ lastStep: this.#stepCount });
      case 'title':
        return this.#host.title(`Title ${text}`);
      case 'call':
        return this.#call(text);
      case 'clientTool':
        return this.#clientTool(text);
      case 'ask':
        this.#waiting.push(simulateQuestions({ random, output: this.#output, timers: this.#options.timers }));
        return undefined;
      case 'worker':
        this.#waiting.push(
          simulateWorker({
            random: SeededRandom.of(this.#options.seed, random.hex(8)),
            output: this.#output,
            pause: () => this.pause(),
          }),
        );
        return undefined;
    }
  }

  pause(): Promise<void> {
    const [least, most] = this.#options.pauseMs ?? [0, 200];
    return new Promise((resolve) => {
      this.#options.timers.after(this.#random.between(least, most), resolve);
    });
  }

  async end(): Promise<void> {
    const end = this.#random.weighted({ ...END, ...this.#options.end });
    // Questions are state: a turn that has asked goes on when a person has answered, or somebody has ended it.
    await Promise.all(this.#waiting);
    if (this.#signal.aborted || end === 'complete') return;
    if (end === 'error') throw new AgentError('agentError', 'the schedule says so');
    this.#host.exited('the schedule says so');
  }

  #clientTool(text: string): void {
    const tools = this.#host.clientTools();
    if (tools.length === 0) return;
    const { clientId, definition } = this.#random.pick(tools);
    const call = { clientId, toolName: definition.name, toolInput: JSON.stringify({ text }) };
    // What it answers, or that it does not, is the client's doing.
    this.#waiting.push(this.#output.clientTool(call).then(() => undefined));
  }

  async #call(text: string): Promise<void> {
    const how = this.#random.weighted({ ...CALL, ...this.#options.call });
    const isSuccess = this.#random.chance(0.8);
    const handle = this.#output.toolCall({
      toolCallId: `call-${this.#stepCount}-${this.#random.hex(6)}`,
      toolName: 'simulate',
      displayName: 'Simulate',
    });
    await handle.input(text);
    await handle.input(text, 'Simulating');
    if (how === 'forget') return;
    // Questions of several calls may be open at once.
    this.#waiting.push(this.#finish(handle, how, text, isSuccess));
  }

  async #finish(
    handle: ToolCallHandle,
    how: Exclude<keyof CallWeights, 'forget'>,
    text: string,
    isSuccess: boolean,
  ): Promise<void> {
    const ready = { invocationMessage: `Simulate ${text}`, toolInput: text };
    if (how === 'run' || how === 'result') handle.run(ready);
    else {
      const options = [
        { id: 'once', label: 'Once', kind: 'approve' as const },
        { id: 'never', label: 'Never', kind: 'deny' as const },
      ];
      const answer = await handle.confirm({
        ...ready,
        ...(how === 'options' ? { options } : {}),
        ...(how === 'editable' ? { editable: true } : {}),
      });
      if (!answer.approved) return;
    }
    handle.content([{ type: 'text', text }]);
    if (how === 'again') {
      const answer = await handle.confirm({ invocationMessage: `Go on with ${text}`, toolInput: text });
      if (!answer.approved) return;
    }
    await handle.complete(
      { success: isSuccess, pastTenseMessage: `Simulated ${text}`, content: [{ type: 'text', text }] },
      how === 'result' ? { requiresResultConfirmation: true } : {},
    );
  }
}
