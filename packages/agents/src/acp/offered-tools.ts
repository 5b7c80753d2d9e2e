import type { AgentSessionHost, ClientTool } from '@agenthost/host';
import type { ServedSession, ToolServer, ToolServerEntry } from './mcp/tool-server.ts';
import type { AcpTurn } from './turn.ts';

/** The server of one provider's sessions, made when the first of them needs it. */
export type FindToolServer = () => Promise<ToolServer>;

/**
 * The tools of active clients as a session of an ACP agent gets them: from a server of the Model Context Protocol, which agents take
 * only while a session is opened. It costs them a process, so it is not given before there are tools; then the session is opened again.
 */
export class OfferedTools {
  readonly #host: AgentSessionHost;
  readonly #findServer: FindToolServer;
  readonly #turn: () => AcpTurn | undefined;
  #served: ServedSession | undefined;

  constructor(parts: {
    host: AgentSessionHost;
    findServer: FindToolServer;
    turn: () => AcpTurn | undefined;
  }) {
    this.#host = parts.host;
    this.#findServer = parts.findServer;
    this.#turn = parts.turn;
  }

  /** Tools are offered, and the agent's session was opened without. */
  get areMissing(): boolean {
    return this.#served === undefined && this.list().length > 0;
  }

  list(): readonly ClientTool[] {
    return this.#host.clientTools();
  }

  /** `mcpServers` for a session that is about to be opened. `isLastChance`: the agent cannot open it again later. */
  async servers(isLastChance: boolean): Promise<ToolServerEntry[]> {
    if (this.#served === undefined && (isLastChance || this.areMissing)) {
      const server = await this.#findServer();
      this.#served = await server.serve({
        list: () => this.list(),
        call: (tool, input, withdrawn) => this.#call(tool, input, withdrawn),
      });
    }
    return this.#served === undefined ? [] : [this.#served.entry];
  }

  /** Others are offered now. */
  changed(): void {
    this.#served?.changed();
  }

  /** The session is over. */
  end(): void {
    this.#served?.close();
    this.#served = undefined;
  }

  async #call(tool: ClientTool, input: Readonly<Record<string, unknown>>, withdrawn: AbortSignal) {
    const { failedResult, toolResult } = await import('./mcp/results.ts');
    const turn = this.#turn();
    if (turn === undefined) return failedResult('Tools of clients run in a turn, and none runs now');
    return toolResult(await turn.clientTool(tool, JSON.stringify(input), withdrawn));
  }
}
