import type { BaseParams, EmptyResult } from '../wire/basics.ts';
import type { McpServerState } from './state.ts';

/** `x-listMcpServers` (extension): the MCP servers that the host runs for the session in `channel`, with their tools. */
export interface ListMcpServersParams extends BaseParams {}

/** The servers, those of the host's config first. */
export interface ListMcpServersResult {
  items: McpServerInfo[];
}

/** An MCP server of a session. */
export interface McpServerInfo {
  /** Id of its customization. */
  id: string;
  name: string;
  /** Where it is named: in the config of the host, or in `.mcp.json` of the working directory. */
  source: 'host' | 'project';
  /** What it runs or connects to, for people. Of a server of the host without arguments, variables and headers. */
  runs: string;
  /** What a person has decided about a server of a project. Absent: nothing yet, or it is one of the host. */
  decision?: McpDecision;
  state: McpServerState;
  /** Empty unless it is ready. */
  tools: McpToolInfo[];
}

/** A tool of an MCP server. */
export interface McpToolInfo {
  /** Its name for agents. */
  name: string;
  /** Its name on the server. */
  tool: string;
  description?: string;
  /** Whether it says that it only reads: nobody is asked about its calls. */
  readOnly: boolean;
}

/** Whether a server of a project may run, while its entry stays the same. */
export type McpDecision = 'allowed' | 'refused';

/** `x-decideMcpServer` (extension): decides whether a server of the project of the session in `channel` may run. */
export interface DecideMcpServerParams extends BaseParams {
  id: string;
  /** Absent: forgets the decision, so that the next turn asks. */
  decision?: McpDecision;
}

/** The decision is durable; a server that may no longer run has been told to stop. */
export type DecideMcpServerResult = EmptyResult;
