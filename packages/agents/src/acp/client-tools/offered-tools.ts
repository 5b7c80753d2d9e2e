import type { AgentSessionHost } from '@agenthost/host/agent';
import type { AcpTimers } from '../runtime.ts';
import type { AcpTurn } from '../turn/turn.ts';
import type { ServedSession, ServedTool, ToolServer, ToolServerEntry } from './tool-server.ts';

/**
 * Time for an agent to list the tools again after it was told of a change. After it the session is opened
 * again. Milliseconds.
 */
const LOOK_LIMIT_MS = 1_500;
/** Time for an agent that lists tools late to list them for the first time. Milliseconds. */
const FIRST_LIMIT_MS = 5_000;
/**
 * Delay between the answer to `tools/list` and the next prompt, which takes a shorter path and must not
 * overtake it. The agent does not tell when its model has the new tools. Milliseconds.
 */
const SETTLE_MS = 400;

/** The tool server of one provider's sessions, created on first use. */
export type FindToolServer = () => Promise<ToolServer>;

/**
 * Tools of active clients and of the host for a session of an ACP agent. Agents accept MCP servers only while a session is
 * opened. A server costs them a process, so it is added only when there are tools, and the session is then
 * opened again.
 */
export class OfferedTools {
  readonly #host: AgentSessionHost;
  readonly #findServer: FindToolServer;
  readonly #timers: AcpTimers;
  readonly #turn: () => AcpTurn | undefined;
  #served: ServedSession | undefined;
  /** Tools that the agent has listed, or could have listed when its session was opened. */
  #seen: ReadonlySet<string> = new Set();
  /** Called when the agent has listed the tools. */
  #wake: () => void = () => {};
  readonly #listsLate: boolean;
  /** Whether the agent has listed the tools of the present server, or was waited for. */
  #hasListed = false;
  /** Ends the wait for the first list. */
  #stopWaiting: () => void = () => {};

  constructor(parts: {
    host: AgentSessionHost;
    timers: AcpTimers;
    findServer: FindToolServer;
    turn: () => AcpTurn | undefined;
    /** See `AcpAgentConfig.listsToolsLate`. */
    listsLate: boolean;
  }) {
    this.#host = parts.host;
    this.#timers = parts.timers;
    this.#findServer = parts.findServer;
    this.#turn = parts.turn;
    this.#listsLate = parts.listsLate;
  }

  /**
   * Whether the session must be opened again for the agent to see all tools: it was opened without them, or
   * the agent does not list them again within a moment of being told.
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
    // The session gets a new server, because some agents (Codex) cache the tools of the present one.
    if (this.#isBehind) this.end();
    return this.#served === undefined;
  }

  /**
   * Waits until an agent that lists tools late has listed them once, so that the next message does not overtake the tools. Ends after 5 s, with the
   * signal, with `gone` and with the session. Never rejects.
   */
  async firstList(signal: AbortSignal, gone: Promise<unknown>): Promise<void> {
    if (!this.#listsLate || this.#served === undefined || this.#hasListed || signal.aborted) return;
    if (this.list().length === 0) return;
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        cancel();
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const cancel = this.#timers.after(FIRST_LIMIT_MS, stop);
      signal.addEventListener('abort', stop, { once: true });
      void gone.then(stop, stop);
      this.#stopWaiting = stop;
    });
    this.#stopWaiting = () => {};
    // A cancelled turn does not make the next one early.
    if (!signal.aborted) this.#hasListed = true;
  }

  /** A withdrawn tool may stay in the agent's list: its calls fail. */
  get #isBehind(): boolean {
    return this.list().some((tool) => !this.#seen.has(keyOf(tool)));
  }

  /** Whether the agent can answer and resolve the comments that a message carries. */
  get haveComments(): boolean {
    return (
      this.#served !== undefined && this.#host.hostTools().some(({ name }) => name === 'resolve_comment')
    );
  }

  list(): readonly ServedTool[] {
    return [...this.#host.clientTools(), ...this.#host.hostTools()];
  }

  /**
   * `mcpServers` for a session that is about to be opened. `isLastChance`: the agent cannot open it again
   * later.
   */
  async servers(isLastChance: boolean): Promise<ToolServerEntry[]> {
    this.#see(this.list());
    if (this.#served === undefined && (isLastChance || this.list().length > 0)) {
      const server = await this.#findServer();
      this.#hasListed = false;
      this.#served = await server.serve({
        list: () => this.list(),
        listed: () => {
          const tools = this.list();
          this.#timers.after(SETTLE_MS, () => {
            this.#see(tools);
            this.#hasListed = true;
            this.#stopWaiting();
          });
        },
        call: (tool, input, withdrawn) => this.#call(tool, input, withdrawn),
      });
    }
    return this.#served === undefined ? [] : [this.#served.entry];
  }

  /** The offered tools have changed. */
  changed(): void {
    this.#served?.changed();
  }

  /** The session has ended. */
  end(): void {
    this.#stopWaiting();
    this.#served?.close();
    this.#served = undefined;
  }

  #see(tools: readonly ServedTool[]): void {
    this.#seen = new Set(tools.map(keyOf));
    this.#wake();
  }

  async #call(tool: ServedTool, input: Readonly<Record<string, unknown>>, withdrawn: AbortSignal) {
    const { failedResult, toolResult } = await import('./results.ts');
    const turn = this.#turn();
    if (turn === undefined)
      return failedResult('These tools can only run during a turn, and no turn is running');
    const toolInput = JSON.stringify(input);
    return toolResult(
      await ('clientId' in tool
        ? turn.clientTool(tool, toolInput, withdrawn)
        : turn.hostTool(tool, toolInput, withdrawn)),
    );
  }
}

const keyOf = ({ name, definition }: ServedTool): string => JSON.stringify([name, definition]);
