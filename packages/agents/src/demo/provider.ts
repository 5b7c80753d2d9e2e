import { AgentError, type AgentProvider } from '@agenthost/host/agent';
import type { SessionConfigSchema } from '@agenthost/protocol';
import { type DemoKeyword, keywords } from './keywords.ts';
import { readMemory, recollect } from './memory.ts';
import { type Random, seededRandom } from './scene.ts';
import { DemoSession, FAST_MODEL_ID, PACED_MODEL_ID } from './session.ts';
import { type DemoTimers, realTimers } from './timers.ts';

/** Options of the demo agent. */
export interface DemoProviderOptions {
  /** Timers for pauses. Default: those of the process. */
  readonly timers?: DemoTimers;
  /**
   * Creates the random numbers of a turn from its id. Default: a generator that gives the same numbers for
   * the same id.
   */
  readonly random?: (seed: string) => Random;
  /** Keywords in addition to the built-in ones. Default: none. */
  readonly keywords?: readonly DemoKeyword[];
}

/** Provider id of the demo agent. */
export const DEMO_PROVIDER_ID = 'demo';

/** Values of `nickname`; the first ones are listed, the others are found by completion. */
const NICKNAMES = [
  'Ada',
  'Grace',
  'Alan',
  'Barbara',
  'Edsger',
  'Frances',
  'Hedy',
  'Niklaus',
  'Radia',
  'Tony',
];

const configSchema: SessionConfigSchema = {
  type: 'object',
  properties: {
    askBeforeWriting: {
      type: 'boolean',
      title: 'Ask before writing',
      description: 'Wait for approval before a file is written or edited, or a command is run',
      default: true,
      sessionMutable: true,
    },
    nickname: {
      type: 'string',
      title: 'Nickname',
      description: 'What the demo agent calls itself; any name will do',
      enum: NICKNAMES.slice(0, 3),
      enumDynamic: true,
      sessionMutable: true,
    },
  },
};

/**
 * Creates an agent that follows a script: offline, always available, and deterministic for a prompt and a
 * turn id. `keywords` is its language. The model `demo-fast` has no pauses, for load tests.
 *
 * @example
 * const host = createHost({ dataDir, agents: [() => createDemoProvider()] });
 */
export function createDemoProvider(options: DemoProviderOptions = {}): AgentProvider {
  const timers = options.timers ?? realTimers;
  const random = options.random ?? seededRandom;
  const language = [...keywords, ...(options.keywords ?? [])];
  const open = new Set<DemoSession>();
  let isDisposed = false;
  return {
    id: DEMO_PROVIDER_ID,
    describe: () => ({
      provider: DEMO_PROVIDER_ID,
      displayName: 'Demo',
      description: 'Follows a script, offline: shows what an agent can do',
      models: [
        { id: PACED_MODEL_ID, provider: DEMO_PROVIDER_ID, name: 'Demo, at the pace of a model' },
        { id: FAST_MODEL_ID, provider: DEMO_PROVIDER_ID, name: 'Demo, as fast as the host takes it' },
      ],
      capabilities: {
        multipleChats: { fork: true, sideChat: true },
        multipleWorkingDirectories: { primaryReplacement: true },
      },
    }),
    availability: async () => ({ available: true, source: 'built in', isBuiltIn: true }),
    resolveConfig: async ({ values }) => ({
      schema: configSchema,
      values: { ...values, askBeforeWriting: values['askBeforeWriting'] !== false },
    }),
    completeConfig: async ({ property, query }) =>
      property === 'nickname'
        ? NICKNAMES.filter((name) => name.toLowerCase().startsWith(query.toLowerCase())).map((name) => ({
            value: name,
            label: name,
          }))
        : undefined,
    canResumeTurns: () => true,
    openSession: async (request, signal) => {
      signal.throwIfAborted();
      if (isDisposed) throw new AgentError('agentExited', 'The demo agent was disposed');
      const memory =
        request.memory === undefined ? recollect(await request.history()) : readMemory(request.memory);
      const session = new DemoSession(request, memory, {
        timers,
        random,
        language,
        onClosed: (closed) => open.delete(closed),
      });
      open.add(session);
      return session;
    },
    dispose: async () => {
      isDisposed = true;
      await Promise.all([...open].map((session) => session.terminate()));
    },
  };
}
