import type { ConnectionParams, Count, EmptyResult } from '../wire/basics.ts';

/** `x-listAgents` (extension): lists the agents that the host offers or knows, and whether they can run. */
export interface ListAgentsParams extends ConnectionParams {
  /** True: the host checks again. Absent: an answer may be a few seconds old. */
  refresh?: boolean;
}

/** The offered agents in the order of the root state, then the others. */
export interface ListAgentsResult {
  items: AgentHealth[];
}

/** Whether an agent can run, as far as the host knows without starting it. */
export interface AgentHealth {
  /** Its provider id. Sessions can be created with those that the root state lists. */
  provider: string;
  displayName: string;
  description?: string;
  /**
   * `ready`: its command is installed. `missing`: it cannot be used until it is installed, or until the host is restarted. `failed`: it is installed,
   * and its last start failed.
   */
  state: 'ready' | 'missing' | 'failed';
  version?: string;
  /** Why it is missing or failed: a sentence in English. */
  problem?: string;
  /** A shell command that installs it. Absent: none is known, or it is installed. */
  installCommand?: string;
  /** A shell command that signs in to its service. Absent: none is known. */
  signInCommand?: string;
  /** Whether sessions that name no agent get it. */
  isDefault: boolean;
  /** Whether it is a part of the host's program, and needs no installation. */
  isBuiltIn: boolean;
  /** Number of its models. Absent: unknown before its first session. */
  models?: Count;
  /** Name of the package that it comes from. Absent: it is a program, or built in. */
  package?: string;
  /** Where the key of its service comes from. Absent: the host keeps no key for it. */
  key?: AgentKeySource;
}

/** Where an agent has its key from: the file that the host wrote, the host's environment, or nowhere. */
export type AgentKeySource = 'stored' | 'environment' | 'none';

/**
 * `x-setAgentKey` (extension): stores the key of an agent over a model API in a file of the host's user. No method returns a key. An agent that takes
 * no key, and a key that no HTTP header can carry, is answered with `-32602`. For admins.
 */
export interface SetAgentKeyParams extends ConnectionParams {
  /** Id of the agent. */
  provider: string;
  /** One line of printable ASCII. Empty: the stored key is removed. */
  apiKey: string;
}

/** The key is stored. */
export type SetAgentKeyResult = EmptyResult;
