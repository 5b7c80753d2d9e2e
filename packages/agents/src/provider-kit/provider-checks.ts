import { setTimeout as pause } from 'node:timers/promises';
import type { AgentProvider } from '@agenthost/host/agent';
import type { Turn } from '@agenthost/protocol';
import { checkInfo } from '../packages/load-package.ts';
import { type OpenChat, type OpenChatOptions, openChat, type RunningTurn } from './open-chat.ts';

/** A provider for the contract checks, and prompts that it understands. */
export interface ProviderUnderTest {
  /** Creates a new provider, with the same id each time. The check disposes it. */
  createProvider(): AgentProvider | Promise<AgentProvider>;
  /** Absolute path of a folder that the agent may change. */
  readonly workingDirectory: string;
  /** Session config of all chats. Default: empty. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** A prompt that is answered with text, and asks nothing. Default: "Say hello". */
  readonly prompt?: string;
  /** A prompt whose turn runs until it is cancelled. Default: turns are not cancelled while they run. */
  readonly endlessPrompt?: string;
  /** Longest wait for each step, in milliseconds. Default 30,000. */
  readonly patienceMs?: number;
}

/** One check of the contract. `run` rejects with `ProviderCheckError` if the provider breaks it, or with what the provider throws. */
export interface ProviderCheck {
  /** The rule, as a sentence. */
  readonly title: string;
  run(): Promise<void>;
}

/** The provider breaks a rule of the contract. */
export class ProviderCheckError extends Error {
  override readonly name = 'ProviderCheckError';
}

/** The time that a host waits for the end of a cancelled turn, in milliseconds. */
const CANCEL_MS = 10_000;

/** What a check works with. */
interface Stage {
  readonly provider: AgentProvider;
  readonly under: ProviderUnderTest;
  /** Opens a chat, which is closed after the check. */
  open(more?: Partial<OpenChatOptions>): Promise<OpenChat>;
  /** Runs a turn to its end. */
  ask(chat: OpenChat, prompt?: string): Promise<RunningTurn>;
  /** Settles like `promise`, or rejects when it takes too long. */
  soon<T>(what: string, promise: Promise<T>, limitMs?: number): Promise<T>;
}

/**
 * The checks of the contract of `AgentProvider`, for any test runner. Each creates a provider of its own.
 *
 * @example
 * for (const { title, run } of providerChecks({ createProvider, workingDirectory })) test(title, run);
 */
export function providerChecks(under: ProviderUnderTest): readonly ProviderCheck[] {
  return Object.entries(CHECKS).map(([title, check]) => ({ title, run: () => perform(under, check) }));
}

const CHECKS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'describes itself without being started': async ({ provider }) => {
    expectThat(/^[a-z][a-z0-9+.-]*$/.test(provider.id), `the id ${provider.id} must match [a-z][a-z0-9+.-]*`);
    checkInfo(provider.describe(), provider.id);
    for (const model of provider.describe().models)
      expectThat(
        model.provider === provider.id,
        `the provider of the model ${model.id} must be ${provider.id}`,
      );
    JSON.stringify(provider.describe());
  },
  'says whether it is available, and why not': async ({ provider, soon }) => {
    const found = await soon('availability', provider.availability());
    expectThat(typeof found.available === 'boolean', 'available must be true or false');
    expectThat(
      found.available || (found.reason ?? '') !== '',
      'an agent that is not available must give a reason',
    );
  },
  'removes a listener of its description': async ({ provider }) => {
    const leave = provider.onInfoChanged?.(() => undefined);
    expectThat(
      provider.onInfoChanged === undefined || leave !== undefined,
      'onInfoChanged must return a function',
    );
    leave?.();
    leave?.();
  },
  'has valid values for its session config': async ({ provider, under, soon }) => {
    const { workingDirectory, config = {} } = under;
    const asked = provider.resolveConfig?.({ workingDirectory, values: config });
    const resolved = asked && (await soon('resolveConfig', asked));
    if (resolved === undefined) return;
    const unknown = Object.keys(resolved.values).filter((key) => !(key in resolved.schema.properties));
    expectThat(unknown.length === 0, `the schema of the config lacks ${unknown.join(', ')}`);
  },
  'answers a prompt with text': async ({ open, ask }) => {
    const { output } = await ask(await open());
    expectThat(output.text !== '', 'the turn must have text');
    checkOutput(output);
  },
  'runs several turns of a chat, one after the other': async ({ open, ask }) => {
    const chat = await open();
    await ask(chat);
    const { output } = await ask(chat);
    expectThat(output.text !== '', 'the second turn must have text');
  },
  'runs two chats at once, each with its own answer': async ({ open, ask }) => {
    const chats = await Promise.all([open(), open()]);
    const turns = await Promise.all(chats.map((chat) => ask(chat)));
    for (const { output } of turns) {
      expectThat(output.text !== '', 'the turn of each chat must have text');
      checkOutput(output);
    }
  },
  'ends a turn that is cancelled': async ({ under, open, soon }) => {
    const chat = await open();
    const turn = chat.prompt(under.endlessPrompt ?? under.prompt ?? 'Say hello');
    if (under.endlessPrompt !== undefined) await isRunning(turn);
    turn.controller.abort();
    const end = turn.done.catch((cause: unknown) => cause);
    const error = await soon('the end of a cancelled turn', end, CANCEL_MS);
    expectThat(error === undefined || error instanceof Error, 'a turn must reject with an Error');
  },
  'runs a turn after a cancelled one': async ({ under, open, ask, soon }) => {
    const chat = await open();
    const turn = chat.prompt(under.endlessPrompt ?? under.prompt ?? 'Say hello');
    turn.controller.abort();
    await soon(
      'the end of a cancelled turn',
      turn.done.catch(() => undefined),
      CANCEL_MS,
    );
    const { output } = await ask(chat);
    expectThat(output.text !== '', 'the turn after a cancel must have text');
  },
  'continues a chat with the memory that it saved': async ({ open, ask, soon }) => {
    const first = await open();
    await ask(first);
    await soon('close', first.session.close());
    const { memory } = first.host;
    const { output } = await ask(await open({ memory, history: [pastTurn()] }));
    expectThat(output.text !== '', 'the turn of a chat that is opened again must have text');
  },
  'takes over a chat that has turns and no memory': async ({ open, ask }) => {
    const { output } = await ask(await open({ history: [pastTurn()] }));
    expectThat(output.text !== '', 'the turn of a chat with a history must have text');
  },
  'closes and terminates a session more than once': async ({ open, soon }) => {
    const { session } = await open();
    await soon('close', session.close());
    await soon('the second close', session.close());
    await soon('terminate', session.terminate());
    await soon('the second terminate', session.terminate());
  },
  'terminates a session in the middle of a turn': async ({ under, open, soon }) => {
    const { session, prompt } = await open();
    const turn = prompt(under.endlessPrompt ?? under.prompt ?? 'Say hello');
    if (under.endlessPrompt !== undefined) await isRunning(turn);
    turn.controller.abort();
    await soon('terminate', session.terminate());
    await soon(
      'the end of the turn',
      turn.done.catch(() => undefined),
    );
  },
  'opens no session when the attempt was given up': async ({ provider, under, soon }) => {
    const opening = openChat(provider, { ...chatOf(under), signal: AbortSignal.abort() });
    const outcome = await soon(
      'openSession',
      opening.catch((cause: unknown) => cause),
    );
    expectThat(outcome instanceof Error, 'openSession must reject when its signal has aborted');
  },
  'is disposed more than once': async ({ provider, soon }) => {
    await soon('dispose', provider.dispose());
    await soon('the second dispose', provider.dispose());
  },
};

async function perform(under: ProviderUnderTest, check: (stage: Stage) => Promise<void>): Promise<void> {
  const { patienceMs = 30_000, prompt = 'Say hello' } = under;
  const provider = await under.createProvider();
  const chats: OpenChat[] = [];
  const soon: Stage['soon'] = async (what, promise, limitMs = patienceMs) => {
    const stop = new AbortController();
    const late = pause(limitMs, undefined, { signal: stop.signal }).then(
      () => {
        throw new ProviderCheckError(`${what}: must settle within ${limitMs / 1_000} s`);
      },
      // The promise was first.
      () => new Promise<never>(() => undefined),
    );
    try {
      return await Promise.race([promise, late]);
    } finally {
      stop.abort();
    }
  };
  try {
    await check({
      provider,
      under,
      soon,
      open: async (more) => {
        const chat = await soon('openSession', openChat(provider, { ...chatOf(under), ...more }));
        chats.push(chat);
        return chat;
      },
      ask: async (chat, given = prompt) => {
        const turn = chat.prompt(given);
        await soon('the turn', turn.done);
        return turn;
      },
    });
  } finally {
    for (const { session } of chats) await soon('terminate', session.terminate());
    await soon('dispose', provider.dispose());
  }
}

const chatOf = ({ workingDirectory, config = {} }: ProviderUnderTest): OpenChatOptions => ({
  workingDirectory,
  config,
});

function checkOutput({ violations, calls }: RunningTurn['output']): void {
  expectThat(violations.length === 0, `calls must follow their states: ${violations.join('; ')}`);
  const open = calls.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  expectThat(open.length === 0, `tool calls must be completed: ${open.map(({ id }) => id).join(', ')}`);
}

/** Resolves when the turn has given a sign of life, or after half a second. */
async function isRunning({ output }: RunningTurn): Promise<void> {
  const begun = output.until(() => output.events.length > 0).catch(() => undefined);
  await Promise.race([begun, pause(500)]);
}

const pastTurn = (): Turn => ({
  id: 'earlier',
  message: { text: 'My name is Ada', origin: { kind: 'user' } },
  responseParts: [{ kind: 'markdown', id: 'p', content: 'Hello Ada' }],
  state: 'complete',
});

function expectThat(holds: boolean, rule: string): void {
  if (!holds) throw new ProviderCheckError(rule);
}
