import { once } from 'node:events';
import type { AgentProvider, TurnInput, TurnOutput } from '@agenthost/host/agent';

/** Plays one turn of an agent. */
export type PlayTurn = (output: TurnOutput, input: TurnInput) => Promise<void>;

/** An agent whose turns a test plays. */
export interface PlayedAgent {
  readonly provider: AgentProvider;
  /** Plays the turns that start after it was set. Initially turns end at once. */
  play: PlayTurn;
}

/**
 * Creates an agent with the provider id `played`. A cancelled turn ends at once; its `play` function
 * continues.
 */
export function createPlayedAgent(): PlayedAgent {
  const agent: PlayedAgent = {
    play: () => Promise.resolve(),
    provider: {
      id: 'played',
      describe: () => ({
        provider: 'played',
        displayName: 'Played',
        description: '',
        models: [],
        capabilities: { multipleChats: { fork: true } },
      }),
      availability: () => Promise.resolve({ available: true }),
      openSession: () =>
        Promise.resolve({
          runTurn: (input, output, signal) =>
            Promise.race([agent.play(output, input), once(signal, 'abort').then(() => undefined)]),
          close: () => Promise.resolve(),
          terminate: () => Promise.resolve(),
        }),
      dispose: () => Promise.resolve(),
    },
  };
  return agent;
}
