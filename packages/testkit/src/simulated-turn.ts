import {
  AgentError,
  type AgentSessionHost,
  type ToolCallHandle,
  type TurnOutput,
} from '@agenthost/host/agent';
import { TEXT_LIMITS } from '@agenthost/protocol';
import { SeededRandom } from './seeded-random.ts';
import { simulateCommand } from './simulated-command.ts';
import { simulateQuestions } from './simulated-questions.ts';
import { interleaveInputs } from './simulated-streams.ts';
import { simulateWorker } from './simulated-worker.ts';

/** Weights of the next step of a simulated turn. */
export interface TurnWeights {
  readonly text: number;
  readonly reasoning: number;
  readonly call: number;
  /** Calls a tool of an active client. Does nothing when no client offers one. */
  readonly clientTool: number;
  /** Asks a question and repeats the answer. */
  readonly ask: number;
  readonly usage: number;
  readonly activity: number;
  readonly notice: number;
  readonly memory: number;
  readonly title: number;
  /** A call with a worker in a chat of its own. */
  readonly worker: number;
  /** Streams text and the inputs of two calls at the same time. */
  readonly inputs: number;
  /** Calls `TurnOptions.streams`, if set. */
  readonly streams: number;
  /** Runs a command in a terminal, and keeps the terminal in the history or removes it. */
  readonly terminal: number;
  /** A call whose input is stored outside of the state. */
  readonly largeInput: number;
}

/** Weights of the kinds of tool call. */
export interface CallWeights {
  /** Runs without asking. */
  readonly run: number;
  readonly ask: number;
  /** Asks with options. */
  readonly options: number;
  readonly editable: number;
  /** Asks again while it runs. */
  readonly again: number;
  /** Its result waits for approval. */
  readonly result: number;
  /** Left open at the end of the turn. */
  readonly forget: number;
}

/** Weights of the ways to end a turn. */
export interface EndWeights {
  readonly complete: number;
  readonly error: number;
  /** The agent process exits. */
  readonly exit: number;
}

/** A running turn. */
export interface TurnPlace {
  readonly chat: string;
  readonly turnId: string;
}

/** Options of a simulated turn. */
export interface TurnOptions {
  readonly seed: number;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
  readonly turn?: Partial<TurnWeights>;
  readonly call?: Partial<CallWeights>;
  readonly end?: Partial<EndWeights>;
  /** Least and greatest pause between steps in milliseconds. Default 0 to 200. */
  readonly pauseMs?: readonly [number, number];
  /** Writes alternately to several texts of the turn. A `TurnOutput` cannot do this. */
  readonly streams?: (place: TurnPlace, random: SeededRandom, pause: () => Promise<void>) => Promise<void>;
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
  inputs: 0.6,
  streams: 0.6,
  terminal: 1,
  largeInput: 0.15,
};
const CALL: CallWeights = { run: 3, ask: 3, options: 2, editable: 2, again: 1, result: 2, forget: 1 };
const END: EndWeights = { complete: 8, error: 1, exit: 0.5 };

/** Just too large for the state. */
const LARGE_INPUT = TEXT_LIMITS.text.max + 1;

/** One turn of the simulated agent, step by step. */
export class SimulatedTurn {
  readonly #random: SeededRandom;
  readonly #output: TurnOutput;
  readonly #options: TurnOptions;
  readonly #host: AgentSessionHost;
  readonly #signal: AbortSignal;
  readonly #place: TurnPlace;
  readonly #waiting: Promise<void>[] = [];
  #stepCount = 0;

  constructor(parts: {
    random: SeededRandom;
    output: TurnOutput;
    options: TurnOptions;
    host: AgentSessionHost;
    signal: AbortSignal;
    place: TurnPlace;
  }) {
    this.#place = parts.place;
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
      case 'inputs':
        return interleaveInputs({
          ...{ random, output: this.#output, timers: this.#options.timers },
          pause: () => this.pause(),
        });
      case 'streams':
        return this.#options.streams?.(this.#place, random, () => this.pause());
      case 'terminal':
        this.#waiting.push(this.#command(text));
        return undefined;
      case 'largeInput':
        this.#waiting.push(this.#largeInput(text));
        return undefined;
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
    // Open questions are part of the state: the turn waits until each is answered or closed.
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
    // The client may never answer.
    this.#waiting.push(this.#output.clientTool(call).then(() => undefined));
  }

  #command(text: string): Promise<void> {
    const random = SeededRandom.of(this.#options.seed, `command ${text}`);
    const { output, host, place, options, signal } = {
      output: this.#output,
      host: this.#host,
      place: this.#place,
      options: this.#options,
      signal: this.#signal,
    };
    return simulateCommand({ random, output, host, signal, turnId: place.turnId, timers: options.timers });
  }

  async #largeInput(text: string): Promise<void> {
    const handle = this.#output.toolCall({
      toolCallId: `large-${this.#stepCount}-${this.#random.hex(6)}`,
      toolName: 'simulate',
      displayName: 'Simulate',
    });
    const ready = { invocationMessage: `Simulate ${text}`, toolInput: text.padEnd(LARGE_INPUT, '.') };
    const answer = await handle.confirm(ready);
    if (answer.approved) await handle.complete({ success: true, pastTenseMessage: `Simulated ${text}` });
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
