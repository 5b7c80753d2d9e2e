import type {
  ClientToHostRequests,
  McpDecision,
  McpServerInfo,
  SessionAction,
  StartMcpSignInResult,
  URI,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

type McpMethod = 'x-listMcpServers' | 'x-decideMcpServer' | 'x-startMcpSignIn' | 'x-finishMcpSignIn';
type McpAction = Extract<
  SessionAction,
  {
    type:
      | 'session/mcpServerStartRequested'
      | 'session/mcpServerStopRequested'
      | 'session/mcpServerBackgroundRequested';
  }
>;

/** The parts of a client that the handle of MCP servers uses. */
export interface McpServersPort {
  request<M extends McpMethod>(
    method: M,
    params: ClientToHostRequests[M]['params'],
  ): Promise<ClientToHostRequests[M]['result']>;
  dispatch(uri: URI, action: McpAction): Promise<DispatchOutcome>;
}

/** The MCP servers that the host runs for sessions. Their states are customizations of the session [MCP-1]; `id` is that of the customization. */
export class McpServers {
  readonly #client: McpServersPort;

  constructor(client: McpServersPort) {
    this.#client = client;
  }

  /** Lists the servers of a session with their tools. Rejects with `RpcError` -32001 for an unknown session. */
  async list(session: URI): Promise<McpServerInfo[]> {
    return (await this.#client.request('x-listMcpServers', { channel: session })).items;
  }

  /** Starts a server. Its state tells the result. Rejected when the session shows no such server. */
  start(session: URI, id: string): Promise<DispatchOutcome> {
    return this.#client.dispatch(session, { type: 'session/mcpServerStartRequested', id });
  }

  /** Stops a server until it is started again, or the host restarts. */
  stop(session: URI, id: string): Promise<DispatchOutcome> {
    return this.#client.dispatch(session, { type: 'session/mcpServerStopRequested', id });
  }

  /** Lets turns begin before a server that is starting is ready [MCP-21]. */
  background(session: URI, id: string): Promise<DispatchOutcome> {
    return this.#client.dispatch(session, { type: 'session/mcpServerBackgroundRequested', id });
  }

  /**
   * Decides whether a server that the project or a plugin of a session names may run, in all sessions of its folder and while its entry stays the same.
   * `server` is an item of `list`, as the person has seen it. `undefined` forgets the decision. Rejects with `RpcError` -32602 for a server that the
   * project does not name, and -32011 if the server runs something else by now.
   */
  async decide(
    session: URI,
    { id, runs }: Pick<McpServerInfo, 'id' | 'runs'>,
    decision: McpDecision | undefined,
  ): Promise<void> {
    await this.#client.request('x-decideMcpServer', {
      channel: session,
      id,
      runs,
      ...defined({ decision }),
    });
  }

  /**
   * Begins a sign-in to a server that needs a token: a person opens `url` in a browser, which comes back to `redirectUri` with `code` and `state`.
   * Rejects with `RpcError` -32011 if the server needs no token now.
   */
  startSignIn(session: URI, id: string, redirectUri: string): Promise<StartMcpSignInResult> {
    return this.#client.request('x-startMcpSignIn', { channel: session, id, redirectUri });
  }

  /** Ends a sign-in with the parameters of the redirect. Rejects with `RpcError` -32602 if the authorization server refuses the code. */
  async finishSignIn(session: URI, redirect: { state: string; code: string; iss?: string }): Promise<void> {
    await this.#client.request('x-finishMcpSignIn', { channel: session, ...redirect });
  }
}
