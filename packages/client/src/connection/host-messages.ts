import {
  HOST_NOTIFICATION_METHODS,
  HOST_REQUEST_METHODS,
  type HostNotificationMethod,
  type HostRequestMethod,
  type HostToClientNotifications,
  type HostToClientRequests,
  methodNotFound,
} from '@agenthost/protocol';
import type { RequestContext } from '@agenthost/rpc';
import type { PublishedFiles } from '../handles/published-files.ts';
import { Listeners, type ReportError } from '../listeners.ts';
import type { HostPeer } from './connection.ts';

/** Notifications from the host other than `action`. */
export type NotificationMethod = Exclude<HostNotificationMethod, 'action'>;

/** Handles one request of the host. Returns the result or a promise of it; throws a `WireError` to refuse. */
export type HostRequestHandler<M extends HostRequestMethod> = (
  params: HostToClientRequests[M]['params'],
  context: RequestContext,
) => HostToClientRequests[M]['result'] | Promise<HostToClientRequests[M]['result']>;

type Handlers = { [M in HostRequestMethod]?: HostRequestHandler<M> | undefined };

type NotificationListeners = {
  readonly [M in NotificationMethod]: Listeners<HostToClientNotifications[M]>;
};

/**
 * Requests and notifications of the host, without envelopes. Handlers and listeners stay across connections.
 */
export class HostMessages {
  readonly #handlers: Handlers = {};
  /** Answer requests without a handler. */
  readonly #files: Pick<PublishedFiles, 'isEmpty' | 'serve'>;
  readonly #notifications: NotificationListeners;

  constructor(report: ReportError, files: Pick<PublishedFiles, 'isEmpty' | 'serve'>) {
    this.#files = files;
    this.#notifications = {
      'root/sessionAdded': new Listeners(report, 'root/sessionAdded'),
      'root/sessionRemoved': new Listeners(report, 'root/sessionRemoved'),
      'root/sessionSummaryChanged': new Listeners(report, 'root/sessionSummaryChanged'),
      'root/progress': new Listeners(report, 'root/progress'),
      'auth/required': new Listeners(report, 'auth/required'),
      'x-presenceChanged': new Listeners(report, 'x-presenceChanged'),
      'x-rolesChanged': new Listeners(report, 'x-rolesChanged'),
      'x-grantsChanged': new Listeners(report, 'x-grantsChanged'),
      'otlp/exportLogs': new Listeners(report, 'otlp/exportLogs'),
      'otlp/exportTraces': new Listeners(report, 'otlp/exportTraces'),
      'otlp/exportMetrics': new Listeners(report, 'otlp/exportMetrics'),
    };
  }

  /** Adds a listener. Returns a function that removes it. */
  on<M extends NotificationMethod>(
    method: M,
    listener: (params: HostToClientNotifications[M]) => void,
  ): () => void {
    return this.#notifications[method].add(listener);
  }

  /** Sets or removes the handler of a method. */
  handle<M extends HostRequestMethod>(method: M, handler: HostRequestHandler<M> | undefined): void {
    const handlers: { [N in M]?: HostRequestHandler<N> | undefined } = this.#handlers;
    handlers[method] = handler;
  }

  /** Connects handlers and listeners to a new peer. */
  attach(peer: HostPeer): void {
    for (const method of HOST_REQUEST_METHODS) {
      // Concurrent, so that a slow handler does not delay envelopes.
      peer.handle(method, (params, context) => this.#serve(method, params, context), { concurrent: true });
    }
    for (const method of HOST_NOTIFICATION_METHODS) if (method !== 'action') this.#relay(peer, method);
  }

  #relay<M extends NotificationMethod>(peer: HostPeer, method: M): void {
    peer.onNotification(method, (params) => this.#notifications[method].emit(params));
  }

  #serve(method: HostRequestMethod, params: unknown, context: RequestContext): unknown {
    const handler: ((params: never, context: RequestContext) => unknown) | undefined = this.#handlers[method];
    if (handler === undefined) {
      if (this.#files.isEmpty) throw methodNotFound(method);
      // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a host sends the params of the method
      return this.#files.serve(method, params as never);
    }
    // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- a handler gets the params of its own method
    return handler(params as never, context);
  }
}
