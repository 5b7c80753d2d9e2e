import type { AgentSessionHost, ClientTool } from '@agenthost/host/agent';
import type { AcpTimers } from '../runtime.ts';
import type { AcpTurn } from '../turn/turn.ts';
import type { ServedSession, ToolServer, ToolServerEntry } from './tool-server.ts';

/** How long an agent that was told of other tools has to look at them before its session is opened again. */
const LOOK_LIMIT_MS = 1_000;
/** From the answer to an agent that looks until its next prompt, which takes a shorter way and must not overtake it. */
const SETTLE_MS = 50;

/** The server of one provider's sessions, made when the first of them needs it. */
export type FindToolServer = () => Promise<ToolServer>;

/**
 * The tools of active clients as a session of an ACP agent gets them: from a server of the Model Context Protocol, which agents take
 * only while a session is opened. It costs them a process, so it is not given before there are tools; then the session is opened again.
 */
export class OfferedTools {
  readonly #host: AgentSessionHost;
  readonly #findServer: FindToolServer;
  readonly #timers: AcpTimers;
  readonly #turn: () => AcpTurn | undefined;
  #served: ServedSession | undefined;
  /** Tools that the agent has seen, or had the chance to see when its session was opened. */
  #seen: ReadonlySet<string> = new Set();
  /** Called when the agent has looked. */
  #wake: () => void = () => {};

  constructor(parts: {
    host: AgentSessionHost;
    timers: AcpTimers;
    findServer: FindToolServer;
    turn: () => AcpTurn | undefined;
  }) {
    this.#host = parts.host;
    this.#timers = parts.timers;
    this.#findServer = parts.findServer;
    this.#turn = parts.turn;
  }

  /**
   * Whether the agent has to open its session again to see all tools: it was opened without, or the agent does not look at others when it
   * is told of them, for which it gets a moment.
   */
  async areMissing(): Promise<boolean> {
    if (this.#served === undefined) return this.list().length > 0;
    if (!this.#isBehind) return false;
    await new Promise<void>((resolve) => {
      const cancel = this.#timers.after(LOOK_LIMIT_MS, resolve);
      this.#wake = () => {
        if (this.#isBehind) return;
        cancel();
        resolve();
      };
    });
    // The session gets another server: some agents (codex) keep what they know of the one that they have.
    if (this.#isBehind) this.end();
    return this.#served === undefined;
  }

  /** A tool that is gone may stay in the agent's list: calls of it fail. */
  get #isBehind(): boolean {
    return this.list().some((tool) => !this.#seen.has(keyOf(tool)));
  }

  list(): readonly ClientTool[] {
    return this.#host.clientTools();
  }

  /** `mcpServers` for a session that is about to be opened. `isLastChance`: the agent cannot open it again later. */
  async servers(isLastChance: boolean): Promise<ToolServerEntry[]> {
    this.#see();
    if (this.#served === undefined && (isLastChance || this.list().length > 0)) {
      const server = await this.#findServer();
      this.#served = await server.serve({
        list: () => this.list(),
        listed: () => void this.#timers.after(SETTLE_MS, this.#see),
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

  readonly #see = (): void => {
    this.#seen = new Set(this.list().map(keyOf));
    this.#wake();
  };

  async #call(tool: ClientTool, input: Readonly<Record<string, unknown>>, withdrawn: AbortSignal) {
    const { failedResult, toolResult } = await import('./results.ts');
    const turn = this.#turn();
    if (turn === undefined) return failedResult('Tools of clients run in a turn, and none runs now');
    return toolResult(await turn.clientTool(tool, JSON.stringify(input), withdrawn));
  }
}

const keyOf = ({ name, definition }: ClientTool): string => JSON.stringify([name, definition]);
