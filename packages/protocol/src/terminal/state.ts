import type { URI } from '../common/types.ts';

export type TerminalClaim = TerminalClientClaim | TerminalSessionClaim;

export interface TerminalClientClaim {
  kind: 'client';
  clientId: string;
}

export interface TerminalCommandPart {
  type: 'command';
  commandId: string;
  commandLine: string;
  output: string;
  timestamp: number;
  isComplete: boolean;
  exitCode?: number;
  durationMs?: number;
}

export type TerminalContentPart = TerminalUnclassifiedPart | TerminalCommandPart;

export interface TerminalInfo {
  resource: URI;
  title: string;
  claim: TerminalClaim;
  exitCode?: number;
}

export interface TerminalSessionClaim {
  kind: 'session';
  session: URI;
  turnId?: string;
  toolCallId?: string;
}

export interface TerminalState {
  title: string;
  cwd?: URI;
  cols?: number;
  rows?: number;
  content: TerminalContentPart[];
  exitCode?: number;
  claim: TerminalClaim;
  supportsCommandDetection?: boolean;
}

export interface TerminalUnclassifiedPart {
  type: 'unclassified';
  value: string;
}
