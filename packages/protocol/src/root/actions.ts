import type { TerminalInfo } from '../terminal/state.ts';
import type { AgentInfo } from './state.ts';

/** Every action of the root channel. */
export type RootAction =
  | RootActiveSessionsChangedAction
  | RootAgentsChangedAction
  | RootConfigChangedAction
  | RootTerminalsChangedAction;

/** Replaces the number of sessions that are not disposed. */
export interface RootActiveSessionsChangedAction {
  type: 'root/activeSessionsChanged';
  activeSessions: number;
}

/** Replaces the agents and their models. */
export interface RootAgentsChangedAction {
  type: 'root/agentsChanged';
  agents: AgentInfo[];
}

/** Merges values into the host's configuration, or replaces them [ROOT-1] [ROOT-5]. */
export interface RootConfigChangedAction {
  type: 'root/configChanged';
  config: Record<string, unknown>;
  /** True: `config` replaces all values. Absent: merged by property name. */
  replace?: boolean;
}

/** Replaces the catalogue of terminals. */
export interface RootTerminalsChangedAction {
  type: 'root/terminalsChanged';
  terminals: TerminalInfo[];
}
