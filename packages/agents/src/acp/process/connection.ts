import * as acp from '@agentclientprotocol/sdk';
import { AgentError } from '@agenthost/host/agent';
import { type JsonObject, objectOf, stringOf, textOf } from '../json.ts';
import { type AcpLog, type AcpTimers, withDeadline } from '../runtime.ts';
import { readSessionUpdate, type SessionUpdate } from '../session/session-update.ts';
import type { SharedTerminals } from '../session/terminals.ts';
import { type AskPeople, ELICITATION_CAPABILITIES, Elicitations } from '../turn/elicitation.ts';
import { type AgentTraits, readTraits } from './agent-traits.ts';
import {
  type AgentIdentity,
  closeReason,
  type Ending,
  requestError,
  stderrSuffix,
} from './connection-errors.ts';
import { EarlyUpdates } from './early-updates.ts';
import { openMessageStream } from './message-stream.ts';

/** The session that receives an agent's messages. */
export interface SessionReceiver {
  /** Takes one update. The agent's next message is read after the promise settles. */
  update(update: SessionUpdate): Promise<void>;
  /** Answers a permission request with the id of one of its options; `undefined` means cancelled. */
  permission(params: JsonObject): Promise<string | undefined>;
  /** Asks people in the running turn. */
  readonly askPeople: AskPeople;
  readTextFile(params: JsonObject): Promise<string>;
  writeTextFile(params: JsonObject): Promise<void>;
  readonly terminals: SharedTerminals;
}

/** The abilities offered to the agent at `initialize`, and the limits of its process. */
export interface OpenConnection extends AgentIdentity {
  readonly offersReadTextFile: boolean;
  readonly offersWriteTextFile: boolean;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** Time limit for the answer to `initialize`, in milliseconds. */
  readonly startTimeoutMs: number;
  readonly maxLineBytes: number;
}

interface ConnectionParts {
  readonly rpc: acp.ClientConnection;
  readonly receivers: Map<string, SessionReceiver>;
  readonly early: EarlyUpdates;
  readonly ending: Ending;
  readonly closed: Promise<AgentError>;
  readonly traits: AgentTraits;
}

/** One ACP connection to one agent process, with many sessions. */
export class AcpConnection {
  readonly traits: AgentTraits;
  /** Resolves with the reason for turns when the connection has closed. Never rejects. */
  readonly closed: Promise<AgentError>;
  readonly #options: OpenConnection;
  readonly #rpc: acp.ClientConnection;
  readonly #receivers: Map<string, SessionReceiver>;
  readonly #early: EarlyUpdates;
  readonly #ending: Ending;
  #isOpen = true;

  /** Initializes the agent. Rejects with `AgentError`; the process is then being stopped. */
  static async open(options: OpenConnection): Promise<AcpConnection> {
    const receivers = new Map<string, SessionReceiver>();
    const early = new EarlyUpdates();
    const elicitations = new Elicitations();
    const stream = openMessageStream({
      stdout: options.process.stdout,
      stdin: options.process.stdin,
      timers: options.timers,
      maxLineBytes: options.maxLineBytes,
      takeNotification: (method, params, bytes) => {
        // The SDK reports cancelled requests to their handlers.
        if (method === acp.PROTOCOL_METHODS.cancel_request) return undefined;
        if (method === acp.CLIENT_METHODS.elicitation_complete) {
          elicitations.complete(objectOf(params));
          return Promise.resolve();
        }
        if (method !== acp.CLIENT_METHODS.session_update) {
          // Extensions (with an underscore) need no answer, and the SDK has no use for the others either.
          options.log('debug', 'agent notification ignored', { agent: options.name, method });
          return Promise.resolve();
        }
        return route(params, bytes, receivers, early);
      },
      onNoise: (line) =>
        options.log('debug', 'agent stdout: not a message', {
          agent: options.name,
          text: line.slice(0, 500),
        }),
      onFault: (method, error) =>
        options.log('warn', 'a message of an agent could not be applied', {
          agent: options.name,
          method,
          error: String(error),
        }),
    });
    const rpc = clientApp(receivers, elicitations).connect(stream.sdk);
    const ending: Ending = { stoppedBecause: undefined };
    const closed = closeReason(options, rpc, stream.ended, ending);
    try {
      const answer = await withDeadline(
        Promise.race([
          rpc.agent.request<unknown, unknown>(acp.AGENT_METHODS.initialize, {
            protocolVersion: acp.PROTOCOL_VERSION,
            clientInfo: { name: 'agenthost', title: 'agenthost', version: '0.1.0' },
            clientCapabilities: {
              fs: { readTextFile: options.offersReadTextFile, writeTextFile: options.offersWriteTextFile },
              terminal: true,
              subagents: {},
              elicitation: ELICITATION_CAPABILITIES,
              // Some agents (Claude Code) report their own terminals only when asked.
              _meta: { terminal_output: true },
            },
          }),
          closed.then((reason) => {
            throw reason;
          }),
        ]),
        options.timers,
        options.startTimeoutMs,
        () =>
          new AgentError(
            'agentUnresponsive',
            `${options.name} did not answer \`initialize\` within ${options.startTimeoutMs / 1000} s${stderrSuffix(options.process)}`,
          ),
      );
      return new AcpConnection(options, {
        rpc,
        receivers,
        early,
        ending,
        closed,
        traits: readTraits(answer),
      });
    } catch (error) {
      rpc.close();
      void options.process.stop();
      // The SDK only knows that the stream ended; the process knows why.
      throw error instanceof AgentError ? error : requestError(options, 'initialize', error, await closed);
    }
  }

  private constructor(options: OpenConnection, parts: ConnectionParts) {
    this.#options = options;
    this.#rpc = parts.rpc;
    this.#receivers = parts.receivers;
    this.#early = parts.early;
    this.#ending = parts.ending;
    this.traits = parts.traits;
    this.closed = parts.closed.then((reason) => {
      this.#isOpen = false;
      this.#receivers.clear();
      return reason;
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Id of the agent's process. */
  get pid(): number {
    return this.#options.process.pid;
  }

  /**
   * Passes a session's messages to `receiver`, starting with those that came before its id was known. Returns
   * a function that detaches it.
   */
  async attach(sessionId: string, receiver: SessionReceiver): Promise<() => void> {
    this.#receivers.set(sessionId, receiver);
    for (const update of this.#early.take(sessionId)) await receiver.update(update);
    return () => {
      if (this.#receivers.get(sessionId) === receiver) this.#receivers.delete(sessionId);
    };
  }

  /**
   * Sends a request. Rejects with `AgentError`: `authRequired`, `agentExited` when the connection closes
   * first, else `agentError` with the agent's text.
   */
  async request(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      return objectOf(await this.#rpc.agent.request<unknown, unknown>(method, params));
    } catch (error) {
      const reason = error instanceof acp.RequestError ? undefined : await this.closed;
      const loginHint = this.#options.loginHint ?? this.traits.logins;
      throw requestError({ ...this.#options, loginHint }, method, error, reason);
    }
  }

  /** Sends a notification. It is dropped when the connection is closed. */
  notify(method: string, params: JsonObject): void {
    this.#rpc.agent.notify(method, params).catch((error: unknown) => {
      this.#options.log('debug', 'agent notification not sent', { method, error: String(error) });
    });
  }

  /** Whether `close` was called, so that the end is expected. */
  get wasStopped(): boolean {
    return this.#ending.stoppedBecause !== undefined;
  }

  /**
   * Stops the process group: TERM, wait, KILL. Resolves when it is gone. Running requests fail with the
   * reason `because`.
   */
  async close(because: string): Promise<void> {
    this.#ending.stoppedBecause ??= because;
    this.#isOpen = false;
    this.#rpc.close();
    await this.#options.process.stop();
  }
}

function route(
  params: unknown,
  bytes: number,
  receivers: ReadonlyMap<string, SessionReceiver>,
  early: EarlyUpdates,
): Promise<void> {
  const { sessionId, update } = objectOf(params);
  if (typeof sessionId !== 'string') return Promise.resolve();
  const read = readSessionUpdate(update);
  const receiver = receivers.get(sessionId);
  if (receiver !== undefined) return receiver.update(read);
  early.keep(sessionId, read, bytes);
  return Promise.resolve();
}

/**
 * Handles requests of agents. Their params are read tolerantly; the SDK answers other methods with "method
 * not found".
 */
function clientApp(
  receivers: ReadonlyMap<string, SessionReceiver>,
  elicitations: Elicitations,
): acp.ClientApp {
  const receiverOf = (params: JsonObject): SessionReceiver => {
    const receiver = receivers.get(stringOf(params['sessionId']) ?? '');
    if (receiver === undefined) throw acp.RequestError.invalidParams({ reason: 'unknown session' });
    return receiver;
  };
  return acp
    .client({ name: 'agenthost' })
    .onRequest(acp.CLIENT_METHODS.session_request_permission, objectOf, async ({ params }) => {
      const optionId = await receiverOf(params).permission(params);
      return {
        outcome:
          optionId === undefined
            ? { outcome: 'cancelled' as const }
            : { outcome: 'selected' as const, optionId },
      };
    })
    .onRequest(acp.CLIENT_METHODS.elicitation_create, objectOf, ({ params, signal }) =>
      // An elicitation that names a request instead of a session belongs to no turn.
      elicitations.create(params, signal, (questions, withdrawn) =>
        textOf(params['sessionId']) === undefined
          ? undefined
          : receiverOf(params).askPeople(questions, withdrawn),
      ),
    )
    .onRequest(acp.CLIENT_METHODS.fs_read_text_file, objectOf, async ({ params }) => ({
      content: await receiverOf(params).readTextFile(params),
    }))
    .onRequest(acp.CLIENT_METHODS.fs_write_text_file, objectOf, async ({ params }) => {
      await receiverOf(params).writeTextFile(params);
      return {};
    })
    .onRequest(acp.CLIENT_METHODS.terminal_create, objectOf, async ({ params }) => ({
      terminalId: await receiverOf(params).terminals.create(params),
    }))
    .onRequest(acp.CLIENT_METHODS.terminal_output, objectOf, ({ params }) =>
      receiverOf(params).terminals.named(params).output(),
    )
    .onRequest(acp.CLIENT_METHODS.terminal_wait_for_exit, objectOf, ({ params }) =>
      receiverOf(params).terminals.named(params).waitForExit(),
    )
    .onRequest(acp.CLIENT_METHODS.terminal_kill, objectOf, async ({ params }) => {
      await receiverOf(params).terminals.named(params).kill();
      return {};
    })
    .onRequest(acp.CLIENT_METHODS.terminal_release, objectOf, async ({ params }) => {
      await receiverOf(params).terminals.release(params);
      return {};
    });
}
