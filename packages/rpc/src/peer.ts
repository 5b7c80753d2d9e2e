import {
  ConnectionClosed,
  JSON_RPC_ERROR,
  publicError,
  RequestAborted,
  RequestTimeout,
  RpcError,
} from './errors.ts';
import { errorMessage, type Incoming, type RequestId, type ResponseMessage, readFrame } from './message.ts';
import type {
  MethodMap,
  NotificationName,
  NotificationParams,
  RequestName,
  RequestParams,
  RequestResult,
} from './methods.ts';
import { RequestContext } from './request-context.ts';
import { realTimers, type Timers } from './timers.ts';
import { type CloseInfo, TRANSPORT_CLOSE, type Transport } from './transport.ts';

/** Default of `PeerOptions.maxQueued`: 10,000 messages. */
export const DEFAULT_MAX_QUEUED = 10_000;

/** Options of a peer; all are optional. */
export interface PeerOptions {
  /**
   * Handles requests without a registered handler, in order like any other. Absent: they are answered with
   * error -32601.
   */
  unknownRequest?(method: string, params: unknown, context: RequestContext): unknown;
  /**
   * Handles notifications without a registered handler, in order like any other. Absent: they are dropped.
   */
  unknownNotification?(method: string, params: unknown): unknown;
  /**
   * Receives every response, including refusals of malformed frames, in place of the transport. For hosts
   * that queue responses.
   */
  sendResponse?(message: ResponseMessage): void;
  /**
   * Called with errors that are not sent to the other side: errors of handlers that are no wire errors, and
   * errors after the response.
   */
  onError?(error: unknown, where: string): void;
  /** Called once when the connection is closed by either side. Pending requests have been rejected before. */
  onClose?(info: CloseInfo): void;
  /** Messages that may wait or run at once. One more closes the connection with code 1008. Default 10,000. */
  maxQueued?: number;
  /** Messages that nest deeper are refused. Default 128. */
  maxDepth?: number;
  /**
   * Messages with more elements (entries of lists, members of objects, lists and objects) are refused without
   * being parsed. Default: unlimited.
   */
  maxElements?: number;
  /** Timers for `timeoutMs`. Default: those of the platform. */
  timers?: Timers;
}

/** Options of one outgoing request with the result type `Result`. */
export interface RequestOptions<Result = unknown> {
  /**
   * Called with the result synchronously when the response arrives. The promise settles later, possibly after
   * frames that follow the response. An error thrown here rejects the promise.
   */
  onResult?: ((result: Result) => void) | undefined;
  /** Aborts the request, which then rejects with `RequestAborted`. The other side is not told. */
  signal?: AbortSignal | undefined;
  /**
   * Rejects with `RequestTimeout` after this many milliseconds. Default: no limit while the connection lives.
   */
  timeoutMs?: number | undefined;
}

/** Scheduling of a handler. */
export interface HandleOptions {
  /**
   * True: later messages do not wait for the handler's promise. The handler still starts in order. Default
   * false.
   */
  concurrent?: boolean;
  /**
   * Longest wait behind other requests, in milliseconds. After it the request is served out of turn, unless a
   * notification is queued before it, because the request may depend on the notification's effect. Default:
   * waits for its turn.
   */
  patienceMs?: number;
}

interface RequestHandler {
  readonly isConcurrent: boolean;
  readonly patienceMs: number | undefined;
  // Method syntax, so that handlers typed by the method map can share one map.
  run(params: unknown, context: RequestContext): unknown;
}

interface NotificationHandler {
  run(params: unknown): unknown;
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
  release(): void;
}

type Call = Extract<Incoming, { kind: 'request' | 'notification' }>;

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/**
 * One end of a JSON-RPC 2.0 connection; both ends may send requests [WIRE-5]. `Local` are the methods that
 * this end serves, `Remote` those of the other end.
 *
 * Requests and notifications are handled one after the other in the order received. A handler that returns a
 * promise delays later messages until it settles, unless it is registered as concurrent. Responses are
 * handled at once [WIRE-6]. When nothing is queued, a frame is handled synchronously when it is delivered.
 *
 * @example
 * const peer = new Peer<{ requests: {}; notifications: {} }, Remote>(transport).start();
 * const sum = await peer.request('add', { a: 1, b: 2 });
 */
export class Peer<Local extends MethodMap, Remote extends MethodMap> {
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #timers: Timers;
  readonly #maxQueued: number;
  readonly #requestHandlers = new Map<string, RequestHandler>();
  readonly #notificationHandlers = new Map<string, NotificationHandler>();
  readonly #pending = new Map<unknown, PendingRequest>();
  readonly #live = new Set<RequestContext>();
  #queue: Call[] = [];
  /** The call that the queue waits for. Absent: none runs, or the queue is being emptied. */
  #running: Call | undefined;
  /** Timers of calls with `patienceMs`. */
  readonly #impatient = new Map<Call, unknown>();
  #isBusy = false;
  #concurrentCount = 0;
  #nextId = 1;
  #closeInfo: CloseInfo | undefined;

  constructor(transport: Transport, options: PeerOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#timers = options.timers ?? realTimers;
    this.#maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED;
  }

  /** Why the connection was closed; `undefined` while it is open. */
  get closeInfo(): CloseInfo | undefined {
    return this.#closeInfo;
  }

  /** Starts receiving. Register handlers before. Requests may be sent before. Returns the peer. */
  start(): this {
    this.#transport.start({
      onFrame: (frame) => this.#receive(frame),
      onClose: (info) => this.#end(info),
    });
    return this;
  }

  /**
   * Registers the handler of a request, in place of an earlier one. It returns a result (sent synchronously)
   * or a promise, or throws. `undefined` is sent as null.
   */
  handle<N extends RequestName<Local>>(
    method: N,
    handler: (
      params: RequestParams<Local, N>,
      context: RequestContext,
    ) => RequestResult<Local, N> | undefined | Promise<RequestResult<Local, N> | undefined>,
    { concurrent = false, patienceMs }: HandleOptions = {},
  ): void {
    const entry: RequestHandler = { isConcurrent: concurrent, patienceMs, run: handler };
    this.#requestHandlers.set(method, entry);
  }

  /**
   * Registers the handler of a notification, in place of an earlier one. A returned promise delays later
   * messages.
   */
  onNotification<N extends NotificationName<Local>>(
    method: N,
    handler: (params: NotificationParams<Local, N>) => unknown,
  ): void {
    const entry: NotificationHandler = { run: handler };
    this.#notificationHandlers.set(method, entry);
  }

  /**
   * Sends a request and resolves with its result. Rejects with `RpcError` (an error response),
   * `RequestTimeout`, `RequestAborted` or `ConnectionClosed`.
   */
  request<N extends RequestName<Remote>>(
    method: N,
    params: RequestParams<Remote, N>,
    { onResult, signal, timeoutMs }: RequestOptions<RequestResult<Remote, N>> = {},
  ): Promise<RequestResult<Remote, N>> {
    return new Promise<RequestResult<Remote, N>>((resolve, reject) => {
      if (this.#closeInfo !== undefined) {
        reject(new ConnectionClosed(this.#closeInfo));
        return;
      }
      if (signal?.aborted === true) {
        reject(new RequestAborted(method, signal.reason));
        return;
      }
      const id = this.#nextId++;
      const fail = (error: Error): void => this.#take(id)?.reject(error);
      const onAbort = (): void => fail(new RequestAborted(method, signal?.reason));
      signal?.addEventListener('abort', onAbort, { once: true });
      const timer =
        timeoutMs === undefined
          ? undefined
          : this.#timers.setTimeout(() => fail(new RequestTimeout(method, timeoutMs)), timeoutMs);
      const accept = (result: RequestResult<Remote, N>): void => {
        onResult?.(result);
        resolve(result);
      };
      const entry: PendingRequest = {
        resolve: accept,
        reject,
        release: () => {
          signal?.removeEventListener('abort', onAbort);
          if (timer !== undefined) this.#timers.clearTimeout(timer);
        },
      };
      this.#pending.set(id, entry);
      try {
        this.#transport.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      } catch (error) {
        fail(
          error instanceof Error ? error : new Error('params cannot be written as JSON', { cause: error }),
        );
      }
    });
  }

  /** Sends a notification. Does nothing after the close. Throws when params cannot be written as JSON. */
  notify<N extends NotificationName<Remote>>(method: N, params: NotificationParams<Remote, N>): void {
    if (this.#closeInfo === undefined)
      this.#transport.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /**
   * Closes the connection. Rejects pending requests, aborts the signals of running handlers and calls
   * `onClose`, all synchronously.
   */
  close(code: number = TRANSPORT_CLOSE.normal, reason = ''): void {
    if (this.#closeInfo !== undefined) return;
    this.#transport.close(code, reason);
    this.#end({ code, reason });
  }

  #receive(frame: string): void {
    if (this.#closeInfo !== undefined) return;
    const message = readFrame(frame, this.#options);
    switch (message.kind) {
      case 'request':
      case 'notification':
        this.#enqueue(message);
        return;
      case 'result':
        this.#settle(message.id, message.result);
        return;
      case 'error':
        this.#take(message.id)?.reject(remoteError(message.error));
        return;
      case 'malformed':
        this.#answer(message.answer);
        return;
      case 'ignored':
        return;
      default:
        message satisfies never;
    }
  }

  #enqueue(call: Call): void {
    if (this.#queue.length + this.#concurrentCount >= this.#maxQueued) {
      this.close(TRANSPORT_CLOSE.policyViolation, `more than ${this.#maxQueued} messages wait to be handled`);
      return;
    }
    this.#queue.push(call);
    if (!this.#isBusy) this.#drain();
    else this.#watch(call);
  }

  #watch(call: Call): void {
    if (call.kind !== 'request') return;
    const patienceMs = this.#requestHandlers.get(call.method)?.patienceMs;
    if (patienceMs === undefined) return;
    const overtake = (): void => {
      this.#impatient.delete(call);
      const before = this.#queue.slice(0, this.#queue.indexOf(call));
      const isBehindRequests = [this.#running, ...before].every((each) => each?.kind === 'request');
      if (!isBehindRequests) return this.#watch(call);
      this.#queue.splice(before.length, 1);
      void this.#serve(call);
    };
    this.#impatient.set(call, this.#timers.setTimeout(overtake, patienceMs));
  }

  #calm(call: Call): void {
    const timer = this.#impatient.get(call);
    if (!this.#impatient.delete(call)) return;
    this.#timers.clearTimeout(timer);
  }

  /** Runs queued calls until a promise stops it. Frames that arrive during the loop are only queued. */
  #drain(): void {
    this.#isBusy = true;
    for (let call = this.#queue.shift(); call !== undefined; call = this.#queue.shift()) {
      this.#calm(call);
      this.#running = undefined;
      const wait = call.kind === 'request' ? this.#serve(call) : this.#notice(call);
      if (wait !== undefined) {
        this.#running = call;
        const resume = (): void => this.#drain();
        wait.then(resume, resume);
        return;
      }
    }
    this.#isBusy = false;
  }

  #notice({ method, params }: Extract<Call, { kind: 'notification' }>): Promise<void> | undefined {
    try {
      const handler = this.#notificationHandlers.get(method);
      const returned =
        handler === undefined ? this.#options.unknownNotification?.(method, params) : handler.run(params);
      if (!isPromiseLike(returned)) return undefined;
      return Promise.resolve(returned).then(
        () => undefined,
        (error: unknown) => this.#options.onError?.(error, method),
      );
    } catch (error) {
      this.#options.onError?.(error, method);
      return undefined;
    }
  }

  #serve({ id, method, params }: Extract<Call, { kind: 'request' }>): Promise<void> | undefined {
    const handler = this.#requestHandlers.get(method);
    if (handler === undefined && this.#options.unknownRequest === undefined) {
      this.#answer(errorMessage(id, JSON_RPC_ERROR.methodNotFound, `Unknown method ${method.slice(0, 100)}`));
      return undefined;
    }
    const context = new RequestContext(id, this.#live);
    const succeed = (result: unknown): void => {
      if (context.settle()) this.#succeed(id, method, result);
    };
    let returned: unknown;
    try {
      returned =
        handler === undefined
          ? this.#options.unknownRequest?.(method, params, context)
          : handler.run(params, context);
    } catch (error) {
      this.#fail(context, method, error);
      return undefined;
    }
    if (!isPromiseLike(returned)) {
      succeed(returned);
      return undefined;
    }
    const settled = Promise.resolve(returned).then(succeed, (error: unknown) =>
      this.#fail(context, method, error),
    );
    if (handler?.isConcurrent !== true) return settled;
    this.#concurrentCount += 1;
    const release = (): void => {
      this.#concurrentCount -= 1;
    };
    settled.then(release, release);
    return undefined;
  }

  #succeed(id: RequestId, method: string, result: unknown): void {
    try {
      this.#answer({ jsonrpc: '2.0', id, result: result === undefined ? null : result });
    } catch (error) {
      this.#options.onError?.(error, method);
      this.#answer(errorMessage(id, JSON_RPC_ERROR.internalError, 'Internal error'));
    }
  }

  #fail(context: RequestContext, method: string, thrown: unknown): void {
    if (context.isAbort(thrown)) return;
    const shown = publicError(thrown);
    const isLate = !context.settle();
    if (shown === undefined || isLate) this.#options.onError?.(thrown, method);
    if (isLate) return;
    const error = shown ?? { code: JSON_RPC_ERROR.internalError, message: 'Internal error' };
    try {
      this.#answer({ jsonrpc: '2.0', id: context.id, error });
    } catch (unwritable) {
      this.#options.onError?.(unwritable, method);
      this.#answer(errorMessage(context.id, error.code, error.message));
    }
  }

  #answer(message: ResponseMessage): void {
    if (this.#closeInfo !== undefined) return;
    if (this.#options.sendResponse !== undefined) this.#options.sendResponse(message);
    else this.#transport.send(JSON.stringify(message));
  }

  #settle(id: unknown, result: unknown): void {
    const entry = this.#take(id);
    try {
      entry?.resolve(result);
    } catch (error) {
      entry?.reject(error instanceof Error ? error : new Error('the result was refused', { cause: error }));
    }
  }

  #take(id: unknown): PendingRequest | undefined {
    const entry = this.#pending.get(id);
    if (entry === undefined) return undefined;
    this.#pending.delete(id);
    entry.release();
    return entry;
  }

  #end(info: CloseInfo): void {
    if (this.#closeInfo !== undefined) return;
    this.#closeInfo = info;
    this.#queue = [];
    for (const call of this.#impatient.keys()) this.#calm(call);
    for (const id of this.#pending.keys()) this.#take(id)?.reject(new ConnectionClosed(info));
    for (const context of this.#live) context.abort(new ConnectionClosed(info));
    this.#options.onClose?.(info);
  }
}

/** The error of a response, for any value of its `error` member. */
function remoteError(error: unknown): RpcError {
  if (typeof error === 'object' && error !== null && 'code' in error && 'message' in error) {
    const { code, message } = error;
    if (typeof code === 'number' && typeof message === 'string') {
      return new RpcError(code, message, 'data' in error ? error.data : undefined);
    }
  }
  return new RpcError(JSON_RPC_ERROR.internalError, 'The other side answered with a malformed error', error);
}
