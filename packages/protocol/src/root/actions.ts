import type { TerminalInfo } from '../terminal/state.ts';
import type { AgentInfo } from './state.ts';

/** Every action of the root channel. */
export type RootAction =
  | RootActiveSessionsChangedAction
  | RootAgentsChangedAction
  | RootConfigChangedAction
  | RootTerminalsChangedAction;

export interface RootActiveSessionsChangedAction {
  type: 'root/activeSessionsChanged';
  activeSessions: number;
}

export interface RootAgentsChangedAction {
  type: 'root/agentsChanged';
  agents: AgentInfo[];
}

export interface RootConfigChangedAction {
  type: 'root/configChanged';
  config: Record<string, unknown>;
  replace?: boolean;
}

export interface RootTerminalsChangedAction {
  type: 'root/terminalsChanged';
  terminals: TerminalInfo[];
}
