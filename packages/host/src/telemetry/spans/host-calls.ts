import { MCP_CONSENT_TOOL } from '@agenthost/protocol';

/** Tool calls that the host makes by itself, before and after the work of an agent. */
const HOST_TOOLS: ReadonlySet<string> = new Set(['hook', 'hooks', MCP_CONSENT_TOOL, 'worktree_setup']);

/** Whether the host makes the calls of a tool, and no model does. */
export const isHostsTool = (toolName: string): boolean => HOST_TOOLS.has(toolName);
