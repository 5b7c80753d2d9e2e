export * from './agent-harness.ts';
export * from './builders.ts';
export { ControlledNetwork, Link, type LinkDirection } from './controlled-network.ts';
export { type Actor, act, PASSING_CHAT, PASSING_SESSION, SECOND_CHAT, SESSION } from './deeds/act.ts';
export { DeedCounts, type LeastDeeds } from './deeds/deed-counts.ts';
export { drainMicrotasks } from './drain-microtasks.ts';
export { FaultJournal, type JournalGates } from './fault-journal.ts';
export { observeTransport, type TransportObserver } from './observe-transport.ts';
export { SeededRandom } from './seeded-random.ts';
export {
  type CallWeights,
  createSimulatedAgent,
  type EndWeights,
  SIMULATED_AGENT,
  type SimulatedAgentOptions,
  type TurnWeights,
} from './simulated-agent.ts';
export { type ClockScope, SimulatedClock } from './simulated-clock.ts';
export { SimulatedPty, type SimulatedPtyOptions, SimulatedPtyOwner } from './simulated-pty.ts';
