export * from '@agenthost/agents/provider-kit';
export * from './builders.ts';
export { ControlledNetwork, Link, type LinkDirection } from './controlled-network.ts';
export { type Actor, act, PASSING_CHAT, PASSING_SESSION, SECOND_CHAT, SESSION } from './deeds/act.ts';
export { goOnWithTool } from './deeds/client-tools.ts';
export { DeedCounts, type LeastDeeds } from './deeds/deed-counts.ts';
export { FOLDERS } from './deeds/directories.ts';
export { drainMicrotasks } from './drain-microtasks.ts';
export { failingKeywords } from './failing-keywords.ts';
export { FaultJournal, type JournalGates } from './fault-journal.ts';
export { HOSTILE_CHARACTERS, type HostileText, hostileTexts } from './hostile-texts.ts';
export { OAuthServer } from './oauth-server.ts';
export { observeTransport, type TransportObserver } from './observe-transport.ts';
export {
  type Definitions,
  definitionsOf,
  missingSchemas,
  nameOf,
  OlderSchema,
  type Schema,
  typeOfAction,
} from './older-schema.ts';
export { mismatches, playSquare, reduceNewest } from './oracle/square.ts';
export { createPlayedAgent, type PlayedAgent, type PlayTurn } from './played-agent.ts';
export { SeededRandom } from './seeded-random.ts';
export { createSimulatedAgent, SIMULATED_AGENT, type SimulatedAgentOptions } from './simulated-agent.ts';
export { type ClockScope, SimulatedClock } from './simulated-clock.ts';
export { SimulatedPty, type SimulatedPtyOptions, SimulatedPtyOwner } from './simulated-pty.ts';
export { SimulatedTrees } from './simulated-trees.ts';
export type { CallWeights, EndWeights, TurnWeights } from './simulated-turn.ts';
