import type { Tool } from '@modelcontextprotocol/client';

/** Longest URI of a view, in UTF-16 code units. */
const MAX_URI_LENGTH = 2_000;

/** The URI of the view of a tool, by the extension MCP Apps. `undefined`: it has none. */
export function viewOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui: unknown = _meta?.['ui'];
  const uri: unknown =
    typeof ui === 'object' && ui !== null && 'resourceUri' in ui ? ui.resourceUri : _meta?.['ui/resourceUri'];
  return typeof uri === 'string' && uri.startsWith('ui://') && uri.length <= MAX_URI_LENGTH ? uri : undefined;
}

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
