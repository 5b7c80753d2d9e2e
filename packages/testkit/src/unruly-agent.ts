import {
  AgentError,
  type AgentProvider,
  type AgentSession,
  type AgentSessionHost,
  type OpenAgentSession,
  type TurnInput,
  type TurnOutput,
} from '@agenthost/host/agent';
import type { Message } from '@agenthost/protocol';
import { SeededRandom } from './seeded-random.ts';
import { misuse } from './unruly-calls.ts';

/** Options of an unruly agent. */
export interface UnrulyOptions {
  readonly seed: number;
  readonly timers: { after(delayMs: number, callback: () => void): () => void };
  /** Probability of misbehaviour, 0 to 1. At 0 the agent behaves, and `watch` still records. */
  readonly chance: number;
  /** Message of every error that the agent throws on purpose. */
  readonly reason: string;
  /** Called with each error that the host throws at the agent against the agent contract. */
  onFault(error: unknown): void;
}

/** Openings, turns and sessions of an agent, recorded without the host's state. */
export class AgentWatch {
  /** Chats whose session is being opened, once per session. */
  readonly opening: string[] = [];
  /** Chats of running turns, once per turn. */
  readonly running: string[] = [];
  /** Chats of open sessions, once per session. */
  readonly open: string[] = [];

  /** Whether a session of this chat is opening or a turn of this chat is running. */
  isBusy(chat: string): boolean {
    return this.opening.includes(chat) || this.running.includes(chat);
  }
}

const OPENINGS = { well: 8, refused: 1, broken: 1, slow: 2, never: 0.5 } as const;

const TURNS = {
  garbage: 5,
  late: 3,
  deaf: 1,
  slowToStop: 2,
  broken: 1,
  ghost: 2,
  stall: 1,
  twice: 1,
} as const;

/**
 * Wraps an agent so that it sometimes breaks the agent contract. The seed decides when. `watch` records the
 * agent's openings, turns and sessions.
 */
export function makeUnruly(agent: AgentProvider, watch: AgentWatch, options: UnrulyOptions): AgentProvider {
  let count = 0;
  return {
    ...agent,
    openSession: async (request, signal) => {
      count += 1;
      const random = SeededRandom.of(options.seed, `${request.chat} ${count}`);
      return within(watch.opening, request.chat, async () => {
        // The first session always opens, so that a session exists.
        if (count > 1 && random.chance(options.chance)) await misopen(random, options, signal);
        const exit: { gone?: () => void } = {};
        const host = hearingExits(request.host, () => exit.gone?.());
        const session = await agent.openSession({ ...request, host }, signal);
        const unruly = new UnrulySession(session, { ...request, host }, { random, watch, options });
        exit.gone = () => unruly.leave();
        return unruly;
      });
    },
  };
}

/** Calls `onExit` when the agent reports its exit, because the host then does not close the session. */
const hearingExits = (host: AgentSessionHost, onExit: () => void): AgentSessionHost => ({
  saveMemory: (memory) => host.saveMemory(memory),
  title: (title) => host.title(title),
  config: (config) => host.config(config),
  commands: (commands) => host.commands(commands),
  terminal: (start) => host.terminal(start),
  clientTools: () => host.clientTools(),
  hostTools: () => host.hostTools(),
  isPrivate: (realPath) => host.isPrivate(realPath),
  privatePaths: () => host.privatePaths(),
  ready: () => host.ready(),
  exited: (reason) => {
    onExit();
    host.exited(reason);
  },
});

async function misopen(random: SeededRandom, { timers, reason }: UnrulyOptions, signal: AbortSignal) {
  const how = random.weighted(OPENINGS);
  switch (how) {
    case 'refused':
      throw new AgentError('agentError', reason);
    case 'broken':
      throw new Error(reason);
    case 'slow':
      return new Promise<void>((resolve) => void timers.after(random.between(0, 20_000), resolve));
    case 'never':
      // Like a hanging process: the opening ends only when the host aborts it.
      return new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error(reason)));
      });
    default:
      return how satisfies 'well';
  }
}

class UnrulySession implements AgentSession {
  readonly #inner: AgentSession;
  readonly #request: OpenAgentSession;
  readonly #random: SeededRandom;
  readonly #watch: AgentWatch;
  readonly #options: UnrulyOptions;
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;
  /** Output of the latest turn that ended. */
  #old: TurnOutput | undefined;

  constructor(
    inner: AgentSession,
    request: OpenAgentSession,
    parts: { random: SeededRandom; watch: AgentWatch; options: UnrulyOptions },
  ) {
    this.#inner = inner;
    this.#request = request;
    this.#random = parts.random;
    this.#watch = parts.watch;
    this.#options = parts.options;
    parts.watch.open.push(request.chat);
  }

  async runTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    await within(this.#watch.running, this.#request.chat, async () => {
      const random = SeededRandom.of(this.#options.seed, `unruly ${input.turnId}`);
      if (!random.chance(this.#options.chance)) await this.#inner.runTurn(input, output, signal);
      else await this.#misrun(random, input, output, signal);
    });
    this.#old = output;
  }

  /** An agent that continues a turn works well, so that some failed turns complete. */
  async resumeTurn(input: TurnInput, output: TurnOutput, signal: AbortSignal): Promise<void> {
    await within(this.#watch.running, this.#request.chat, () =>
      (this.#inner.resumeTurn ?? this.#inner.runTurn).call(this.#inner, input, output, signal),
    );
    this.#old = output;
  }

  async steer(message: Message): Promise<boolean> {
    return (await this.#inner.steer?.(message)) ?? false;
  }

  async close(): Promise<void> {
    this.leave();
    await this.#inner.close();
    if (this.#random.chance(this.#options.chance / 4)) throw new Error(this.#options.reason);
  }

  async terminate(): Promise<void> {
    this.leave();
    await this.#inner.terminate();
  }

  /** Records the end of the session. Later calls do nothing. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    remove(this.#watch.open, this.#request.chat);
    this.#over.resolve();
  }

  async #misrun(
    random: SeededRandom,
    input: TurnInput,
    output: TurnOutput,
    signal: AbortSignal,
  ): Promise<void> {
    const { timers, reason, onFault } = this.#options;
    const spoil = (target: TurnOutput, times: number): void => {
      for (let left = times; left > 0; left -= 1) {
        timers.after(random.between(0, 2_000), () => misuse(random, target, this.#request.host, onFault));
      }
    };
    const how = random.weighted(TURNS);
    switch (how) {
      case 'garbage':
        spoil(output, random.between(1, 8));
        return this.#inner.runTurn(input, output, signal);
      case 'late':
        await this.#inner.runTurn(input, output, signal);
        return spoil(output, random.between(1, 5));
      case 'ghost':
        if (this.#old !== undefined) spoil(this.#old, 3);
        return this.#inner.runTurn(input, output, signal);
      case 'deaf':
        // Ignores a cancel: runs until its last step or `terminate`.
        await this.#inner.runTurn(input, output, new AbortController().signal);
        return spoil(output, 2);
      case 'slowToStop':
        await this.#inner.runTurn(input, output, signal);
        spoil(output, 2);
        return new Promise((resolve) => void timers.after(random.between(0, 15_000), resolve));
      case 'stall':
        await output.markdown('…');
        return this.#over.promise;
      case 'twice':
        await Promise.all([
          this.#inner.runTurn(input, output, signal),
          this.#inner.runTurn(input, output, signal),
        ]);
        return undefined;
      case 'broken':
        await output.markdown('half a');
        // oxlint-disable-next-line typescript/only-throw-error -- agents throw anything
        throw random.chance(0.5) ? reason : new TypeError(reason);
      default:
        return how satisfies never;
    }
  }
}

async function within<T>(list: string[], entry: string, work: () => Promise<T>): Promise<T> {
  list.push(entry);
  try {
    return await work();
  } finally {
    remove(list, entry);
  }
}

function remove(list: string[], entry: string): void {
  const at = list.indexOf(entry);
  if (at >= 0) list.splice(at, 1);
}
