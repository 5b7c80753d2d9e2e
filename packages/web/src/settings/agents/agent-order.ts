import type { AgentHealth } from '@agenthost/protocol';

/** Whether a person has to do something before the agent can run. */
export const needsAttention = ({ state }: Pick<AgentHealth, 'state'>): boolean => state !== 'ready';
