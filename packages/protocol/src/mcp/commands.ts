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
  /** Where it is named: in the config of the host, in `.mcp.json` of the working directory, or by a plugin. */
  source: 'host' | 'project' | 'plugin';
  /** Name of the plugin. Only for `plugin`. */
  plugin?: string;
  /** What it runs or connects to, for people. Of a server of the host without arguments, variables and headers. */
  runs: string;
  /**
   * What a person has decided about a server of a project or plugin. Absent: nothing yet, or it is one of the host. `allowed` for those of the
   * user's own plugins, which need no decision.
   */
  decision?: McpDecision;
  state: McpServerState;
  /** Empty unless it is ready. */
  tools: McpToolInfo[];
  /** The last lines of its log and of its standard error, oldest first. At most 100. */
  log: McpLogLine[];
}

/** A line of the log of an MCP server. */
export interface McpLogLine {
  /** ISO 8601. */
  at: string;
  /** As the server gave it, such as `warning`. Lines of its standard error are `info`. */
  level: string;
  text: string;
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

/** Whether a server of a project or plugin may run, while its entry stays the same. */
export type McpDecision = 'allowed' | 'refused';

/**
 * `x-decideMcpServer` (extension): decides whether a server of the project or of a plugin of the session in `channel` may run. Answered with `-32011`
 * if the entry was changed so that it runs something else than `runs`.
 */
export interface DecideMcpServerParams extends BaseParams {
  id: string;
  /** What the person has seen: `runs` of the list. */
  runs: string;
  /** Absent: forgets the decision, so that the next turn asks. */
  decision?: McpDecision;
}

/** The decision is durable; a server that may no longer run has been told to stop. */
export type DecideMcpServerResult = EmptyResult;

/**
 * `x-startMcpSignIn` (extension): begins a sign-in by OAuth to a server of the session in `channel` that needs a token. The host is the OAuth client
 * and keeps all secrets. Answered with `-32011` if the server needs no token now, and with `-32602` if its authorization server cannot be used.
 */
export interface StartMcpSignInParams extends BaseParams {
  id: string;
  /** Where the browser comes back with `code` and `state`: an `http:` or `https:` URL of the client. */
  redirectUri: string;
}

/** Where a person signs in. */
export interface StartMcpSignInResult {
  /** The page of the authorization server. */
  url: string;
  /** The parameter `state` with which the browser comes back. */
  state: string;
}

/**
 * `x-finishMcpSignIn` (extension): ends a sign-in with what the browser came back with. Any client of the session may send it, once, within ten
 * minutes. Answered with `-32008` for an unknown state, and with `-32602` if the authorization server refuses the code.
 */
export interface FinishMcpSignInParams extends BaseParams {
  state: string;
  code: string;
  /** The parameter `iss` of the redirect (RFC 9207). Absent: there was none. */
  iss?: string;
}

/** The server has its token. Its state tells whether it accepts it. */
export type FinishMcpSignInResult = EmptyResult;
