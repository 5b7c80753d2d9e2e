/** Name of the host's tool server in an agent's list; agents put it in front of the tools' names. */
export const TOOL_SERVER = 'agenthost';
