import { mcp } from './en/mcp.ts';
import { chooseCatalogue } from './text.ts';

/** The texts of MCP servers. They are not in the first load of the page. */
export const mcpText: typeof mcp = chooseCatalogue({ en: mcp }, mcp).catalogue;
