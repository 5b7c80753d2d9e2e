import type { ToolCallState } from '@agenthost/protocol';

/** The view of a tool call of an MCP server. */
export interface CallView {
  /** Id of the server's customization. */
  readonly server: string;
  /** `ui://` URI of its page. */
  readonly uri: string;
}

/** The view that an MCP server has for a call that runs, has run, or ended with its turn. `undefined`: none. */
export function viewOf(toolCall: ToolCallState): CallView | undefined {
  const { status, contributor, _meta } = toolCall;
  const isShown =
    status === 'running' ||
    status === 'completed' ||
    (status === 'cancelled' && toolCall.reason === 'skipped');
  if (contributor?.kind !== 'mcp' || !isShown) return undefined;
  const ui = _meta?.['ui'];
  if (typeof ui !== 'object' || ui === null || !('resourceUri' in ui)) return undefined;
  const { resourceUri } = ui;
  return typeof resourceUri === 'string' && resourceUri.startsWith('ui://')
    ? { server: contributor.customizationId, uri: resourceUri }
    : undefined;
}
