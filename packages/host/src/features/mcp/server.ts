import type { ErrorInfo, McpAuthRequirement, McpServerState } from '@agenthost/protocol';
import { errorText, hasCode } from '@agenthost/protocol/values';
import type {
  CallToolResult,
  CreateMessageRequestParams,
  CreateMessageResult,
  Progress,
  Tool,
} from '@modelcontextprotocol/client';
import type { InputQuestions, InputResponse } from '../../agents/turn.ts';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import { type Cancel, type Clock, steadyNow } from '../../lib/clock.ts';
import { McpAuthChallenge } from './challenge.ts';
import { type ConnectOptions, connect, type McpConnection, NEVER_MS } from './connection.ts';
import { elicitResult, inputQuestions } from './elicitation.ts';
import { SamplingRefused } from './sampling.ts';
import { ServerLists } from './server-lists.ts';
import type { SideNotification } from './side-notification.ts';

/** Time limit of a start: a package runner may download the server first. Milliseconds. */
const START_LIMIT_MS = 60_000;
/** Delays before a server that has failed is started again. After the last one it stays in the state `error`. Milliseconds. */
const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000];
/** A server that was ready for this time begins with the shortest delay again. Milliseconds. */
const STABLE_MS = 60_000;
const MAX_TOOLS = 1_000;

/** A call of one of its tools. */
export interface ServerCall {
  readonly tool: string;
  readonly input: Record<string, unknown>;
  /** Ends the call, and tells the server. */
  readonly signal: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Asks people for the server while the call runs. Absent: questions are declined. */
  ask?(questions: InputQuestions, withdrawn: AbortSignal): Promise<InputResponse>;
  /** Gets an answer of a model for the server while the call runs. Absent: requests are refused. */
  sample?(params: CreateMessageRequestParams, withdrawn: AbortSignal): Promise<CreateMessageResult>;
}

/** A running call. */
interface RunningCall extends ServerCall {
  /** The server waits for others: its time limit begins anew after `work`. */
  whileWaiting<T>(work: () => Promise<T>): Promise<T>;
}

/** Settings, services and callbacks of a server. */
export interface ServerParts
  extends Pick<
    ConnectOptions,
    'folder' | 'roots' | 'environment' | 'children' | 'timers' | 'version' | 'onLog'
  > {
  readonly entry: McpServerEntry;
  readonly clock: Clock;
  /** Whether the agent of the session answers requests for a model. */
  readonly answersTools: boolean;
  token(): Promise<string | undefined>;
  tokenInsteadOf(refused: string): Promise<string | undefined>;
  /** Its state has changed. Not called before `start`. */
  onState(state: McpServerState): void;
  onToolsChanged(): void;
  /** The server has sent a notification for user interfaces. */
  onNotification(method: SideNotification, params: object): void;
}

/** One attempt to run the server. */
interface Run {
  readonly abort: AbortController;
  /** Absent while it starts. */
  connection?: McpConnection;
  lists?: ServerLists;
}

/** An MCP server of one session: starts, stops and restarts it [MCP-1], and calls its tools. */
export class McpServer {
  readonly #parts: ServerParts;
  #state: McpServerState = { kind: 'stopped' };
  #run: Run | undefined;
  /** Runs that are ending. */
  readonly #ending = new Set<Promise<void>>();
  #cancelRestart: Cancel = () => undefined;
  /** Failures since it was last stable. */
  #failureCount = 0;
  #readySince = 0;
  #tools: readonly Tool[] = [];
  /** Running calls, oldest first. */
  readonly #calls = new Set<RunningCall>();
  /** Called at the next change of the state. */
  #wake: (() => void)[] = [];

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  get entry(): McpServerEntry {
    return this.#parts.entry;
  }

  get state(): McpServerState {
    return this.#state;
  }

  /** Empty unless it is ready. */
  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /** The open connection; `undefined` unless it is ready, or was ready until one of its calls needed a token. */
  get connection(): McpConnection | undefined {
    return this.#run?.connection;
  }

  /** Its resources and prompts; `undefined` without a connection. */
  get lists(): ServerLists | undefined {
    return this.#run?.lists;
  }

  /** Starts it unless it is starting or connected. A server that waits for a token in the middle of a call stays connected. */
  start(): void {
    if (this.#state.kind === 'starting' || this.connection !== undefined) return;
    this.#failureCount = 0;
    this.#begin(this.entry.blocking);
  }

  /** Shows why it may not be started. */
  refuse(error: ErrorInfo): void {
    this.#leave();
    this.#set({ kind: 'error', error });
  }

  /** Stops it, and does not start it again by itself. Resolves when its program has ended. */
  async stop(): Promise<void> {
    this.#leave();
    if (this.#state.kind !== 'stopped') this.#set({ kind: 'stopped' });
    await Promise.all(this.#ending);
  }

  /** Stops holding turns [MCP-21]. */
  background(): void {
    if (this.#state.kind !== 'starting' || this.#state.blocking !== true) return;
    this.#state = { kind: 'starting', blocking: false };
    this.#wakeAll();
  }

  /** Resolves when it no longer holds turns, or when `signal` aborts. */
  async unblocked(signal: AbortSignal): Promise<void> {
    while (this.#state.kind === 'starting' && this.#state.blocking === true && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  /** One of its calls needs a token. It stays connected. */
  awaitToken(auth: McpAuthRequirement): void {
    if (this.connection !== undefined) this.#set({ kind: 'authRequired', ...auth });
  }

  /** The call has its token, or has ended. */
  resume(): void {
    if (this.#state.kind === 'authRequired' && this.connection !== undefined) this.#set({ kind: 'ready' });
  }

  /** Its present working directories have changed. */
  rootsChanged(): void {
    this.connection?.client.sendRootsListChanged().catch((error: unknown) => {
      this.#parts.onLog('debug', `it was not told of changed folders: ${errorText(error)}`);
    });
  }

  /**
   * Calls a tool. Rejects with the reason for people; with `McpAuthChallenge` if a token is needed; and when the signal of the call aborts.
   */
  async call(call: ServerCall): Promise<CallToolResult> {
    const { connection } = this;
    if (connection === undefined) throw new Error(`The MCP server ${this.entry.name} is not running`);
    connection.takeChallenge();
    const limit = new AbortController();
    const limitMs = this.entry.toolTimeoutSeconds * 1_000;
    const late = new Error(`The MCP server ${this.entry.name} did not answer within ${limitMs / 1_000} s`);
    let waitingCount = 0;
    let cancelLimit: Cancel = () => undefined;
    const limitAgain = (): void => {
      cancelLimit();
      if (waitingCount === 0) cancelLimit = this.#parts.timers.after(limitMs, () => limit.abort(late));
    };
    const running: RunningCall = {
      ...call,
      whileWaiting: async (work) => {
        waitingCount += 1;
        limitAgain();
        try {
          return await work();
        } finally {
          waitingCount -= 1;
          if (this.#calls.has(running)) limitAgain();
        }
      },
    };
    this.#calls.add(running);
    limitAgain();
    try {
      return await connection.client.callTool(
        { name: call.tool, arguments: call.input },
        {
          signal: AbortSignal.any([call.signal, limit.signal]),
          timeout: NEVER_MS,
          onprogress: (progress) => {
            limitAgain();
            call.onProgress?.(progress);
          },
        },
      );
    } catch (error) {
      const challenge = connection.takeChallenge();
      if (challenge !== undefined) throw challenge;
      if (limit.signal.aborted) throw late;
      if (this.entry.kind !== 'stdio' && isLost(error)) this.#failed(this.#run, errorText(error));
      if (isClosed(error))
        throw new Error(`The MCP server ${this.entry.name} ended during the call`, { cause: error });
      throw error;
    } finally {
      cancelLimit();
      this.#calls.delete(running);
    }
  }

  #begin(blocking: boolean): void {
    this.#leave();
    const run: Run = { abort: new AbortController() };
    this.#run = run;
    this.#set({ kind: 'starting', ...(blocking ? { blocking } : {}) });
    const opening = this.#open(run).finally(() => void this.#ending.delete(opening));
    this.#ending.add(opening);
  }

  async #open(run: Run): Promise<void> {
    const { entry, timers, answersTools } = this.#parts;
    const late = new Error(`it did not start within ${START_LIMIT_MS / 1_000} s`);
    const cancelLimit = timers.after(START_LIMIT_MS, () => run.abort.abort(late));
    try {
      const connection = await connect(
        {
          ...this.#parts,
          entry,
          roots: () => this.#parts.roots(),
          onLog: (level, text) => this.#parts.onLog(level, text),
          token: () => this.#parts.token(),
          tokenInsteadOf: (refused) => this.#parts.tokenInsteadOf(refused),
          elicit: async (params, signal) => {
            const call = [...this.#calls].findLast(({ ask }) => ask !== undefined);
            const questions = inputQuestions(entry.name, params);
            if (call?.ask === undefined || questions === undefined) return { action: 'decline' };
            const { ask } = call;
            return elicitResult(await call.whileWaiting(() => ask(questions, signal)));
          },
          ...(answersTools
            ? {
                sample: (params: CreateMessageRequestParams, signal: AbortSignal) =>
                  this.#sample(params, signal),
              }
            : {}),
          onNotification: (method, params) => this.#parts.onNotification(method, params),
          onToolsChanged: () => void this.#list(run),
          onClosed: (why) => this.#failed(run, `it ended unexpectedly: ${why}`),
        },
        run.abort.signal,
      );
      if (this.#run !== run) return await connection.close();
      const tools = await this.#firstTools(run, connection);
      if (tools === undefined) return;
      run.connection = connection;
      run.lists = new ServerLists(connection.client, () =>
        this.#parts.onNotification('notifications/resources/list_changed', {}),
      );
      this.#tools = tools;
      this.#readySince = steadyNow(this.#parts.clock);
      this.#set({ kind: 'ready' });
      this.#parts.onToolsChanged();
    } catch (error) {
      if (this.#run !== run) return;
      if (error instanceof McpAuthChallenge) {
        this.#leave();
        this.#set({ kind: 'authRequired', ...error.auth });
      } else if (hasCode(error, 'ENOENT')) this.#stay(errorText(error));
      else this.#failed(run, errorText(error));
    } finally {
      cancelLimit();
    }
  }

  /** Requests of the server outside of a call of a turn are refused: nobody would see them. */
  async #sample(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const call = [...this.#calls].findLast(({ sample }) => sample !== undefined);
    const sample = call?.sample;
    if (call === undefined || sample === undefined)
      throw new SamplingRefused('A model answers only while a tool of the server runs in a turn');
    return call.whileWaiting(() => sample(params, signal));
  }

  /** `undefined`: it was stopped meanwhile, and is closed. */
  async #firstTools(run: Run, connection: McpConnection): Promise<readonly Tool[] | undefined> {
    try {
      const tools = await this.#listed(connection);
      if (this.#run === run) return tools;
      await connection.close();
      return undefined;
    } catch (error) {
      const challenge = connection.takeChallenge();
      await connection.close();
      throw challenge ?? error;
    }
  }

  async #listed({ client }: McpConnection): Promise<readonly Tool[]> {
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const { tools } = await client.listTools(undefined, { timeout: START_LIMIT_MS, cacheMode: 'refresh' });
    return tools.slice(0, MAX_TOOLS);
  }

  async #list(run: Run): Promise<void> {
    if (this.#run !== run || run.connection === undefined || this.#state.kind !== 'ready') return;
    try {
      const tools = await this.#listed(run.connection);
      if (this.#run !== run) return;
      this.#tools = tools;
      this.#parts.onToolsChanged();
      this.#parts.onNotification('notifications/tools/list_changed', {});
    } catch (error) {
      this.#parts.onLog('warning', `its changed tools cannot be listed: ${errorText(error)}`);
    }
  }

  /** Starts it again after a delay, until it has failed too often. */
  #failed(run: Run | undefined, why: string): void {
    if (run === undefined || this.#run !== run) return;
    if (this.#state.kind === 'ready' && steadyNow(this.#parts.clock) - this.#readySince > STABLE_MS)
      this.#failureCount = 0;
    const delayMs = BACKOFF_MS[this.#failureCount];
    if (delayMs === undefined) return this.#stay(why);
    this.#failureCount += 1;
    this.#leave();
    this.#cancelRestart = this.#parts.timers.after(delayMs, () => this.#begin(false));
    this.#set(errorState(`${why}; starting again in ${delayMs / 1_000} s`));
  }

  #stay(why: string): void {
    this.#leave();
    this.#set(errorState(why));
  }

  /** Ends the present run without a new state. */
  #leave(): void {
    this.#cancelRestart();
    this.#cancelRestart = () => undefined;
    const run = this.#run;
    this.#run = undefined;
    const hadTools = this.#tools.length > 0;
    this.#tools = [];
    if (run !== undefined) {
      run.abort.abort(new Error('it was stopped'));
      const ending = Promise.resolve(run.connection?.close())
        .catch((error: unknown) =>
          this.#parts.onLog('warning', `it did not end cleanly: ${errorText(error)}`),
        )
        .then(() => void this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    if (hadTools) this.#parts.onToolsChanged();
  }

  #set(state: McpServerState): void {
    this.#state = state;
    this.#wakeAll();
    this.#parts.onState(state);
  }

  #wakeAll(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const each of wake) each();
  }
}

const errorState = (message: string): McpServerState => ({
  kind: 'error',
  error: { errorType: 'mcpServerFailed', message: message.slice(0, 4_000) },
});

/** Whether the connection ended before the answer. The library names the error so. */
const isClosed = (error: unknown): boolean => hasCode(error, 'CONNECTION_CLOSED');

/** Whether a failed request means that the server at the other end is gone, or has forgotten its session. */
function isLost(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return status === 404 || status === 502 || status === 503;
}
