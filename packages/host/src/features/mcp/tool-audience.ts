import type { Tool } from '@modelcontextprotocol/client';

/** The parties that a tool is for, by the extension MCP Apps. Absent: all. */
function audienceOf({ _meta }: Pick<Tool, '_meta'>): readonly unknown[] | undefined {
  const ui: unknown = _meta?.['ui'];
  if (typeof ui !== 'object' || ui === null || !('visibility' in ui)) return undefined;
  return Array.isArray(ui.visibility) ? ui.visibility : undefined;
}

/** Whether user interfaces may call a tool. */
export const isForApps = (tool: Pick<Tool, '_meta'>): boolean => audienceOf(tool)?.includes('app') ?? true;

/** Whether agents may call a tool. */
export const isForModels = (tool: Pick<Tool, '_meta'>): boolean =>
  audienceOf(tool)?.includes('model') ?? true;
