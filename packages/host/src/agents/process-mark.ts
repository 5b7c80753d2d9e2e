import { randomUUID } from 'node:crypto';

/** The variable that tells the processes of one agent process from others, also when their parents have ended. */
export const PROCESS_MARK = 'AGENTHOST_AGENT_PROCESS';

/**
 * The environment for a new process of an agent. Its descendants inherit the mark, so that the host finds the ports of a program that a shell of
 * the agent has left behind. A program that clears its environment is not found then.
 */
export const markedEnvironment = (env: Readonly<Record<string, string>>): Record<string, string> => ({
  ...env,
  [PROCESS_MARK]: randomUUID(),
});
