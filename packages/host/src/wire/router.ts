import {
  CLIENT_REQUEST_METHODS,
  type ClientRequestMethod,
  type ClientToHostRequests,
  internalError,
  invalidParams,
  isWithinScope,
  methodNotFound,
  permissionDenied,
  ROOT_URI,
  scopeOfRequest,
} from '@agenthost/protocol';
import { validateParams } from '@agenthost/protocol/validate';
import type { RequestContext } from '@agenthost/rpc';
import type { Caller } from '../channels/module.ts';
import { JournalError } from '../journal/journal.ts';
import { JournalUnavailable } from '../sync/commit-path.ts';
import type { Connection } from './connection.ts';
import { callerOf } from './dispatch.ts';
import { askedFor, scopeRefusal } from './scope-refusal.ts';

type Params<M extends ClientRequestMethod> = ClientToHostRequests[M]['params'];
type Result<M extends ClientRequestMethod> = ClientToHostRequests[M]['result'];

/** A command of a client after its params were checked. Returns the result or throws a wire error; never sees a socket. */
export type Command<M extends ClientRequestMethod> = (
  params: Params<M>,
  caller: Caller,
  signal: AbortSignal,
) => Result<M> | Promise<Result<M>>;

/** The commands of a host, by method. Methods without one answer -32601. */
export type Commands = { readonly [M in ClientRequestMethod]?: Command<M> };

/** Commands that only read or wait: what comes behind them does not wait for their end [WIRE-6]. */
const CONCURRENT: ReadonlySet<ClientRequestMethod> = new Set([
  'listSessions',
  'x-searchSessions',
  'x-listApprovals',
  'fetchTurns',
  'x-diskUse',
  'completions',
  'resolveSessionConfig',
  'sessionConfigCompletions',
  'resourceRead',
  'resourceList',
  'resourceResolve',
]);

/** Methods of the connection as a whole: their channel is exactly the root's [WIRE-2]. */
const CONNECTION_LEVEL: ReadonlySet<ClientRequestMethod> = new Set([
  'initialize',
  'ping',
  'reconnect',
  'authenticate',
  'listSessions',
  'x-searchSessions',
  'x-listApprovals',
  'x-revokeApproval',
  'x-createToken',
  'x-listTokens',
  'x-revokeToken',
  'resolveSessionConfig',
  'sessionConfigCompletions',
]);

/** Requests that touch the connection itself: served by the wire, with the request's context. */
export type WireRequests = {
  readonly [M in 'initialize' | 'reconnect' | 'subscribe']: (
    connection: Connection,
    params: Params<M>,
    context: RequestContext,
  ) => Promise<void>;
};

/**
 * So long a ping waits for requests before it: clients take a host that answers none for ten seconds for dead. It never overtakes an action:
 * its answer tells that those before it are settled [WIRE-4].
 */
const PING_PATIENCE_MS = 3_000;

/** Routes the requests of a connection to their commands. */
export function routeRequests(connection: Connection, commands: Commands, wire: WireRequests): void {
  const { peer } = connection;
  const serve = <M extends keyof WireRequests>(method: M, run: WireRequests[M]): void =>
    peer.handle(method, async (params, context) => {
      if (method === 'subscribe') connection.online satisfies object;
      await guarded(() => run(connection, checkCall(connection, method, params), context));
    });
  serve('initialize', wire.initialize);
  serve('reconnect', wire.reconnect);
  serve('subscribe', wire.subscribe);
  peer.handle(
    'ping',
    (params, context) => {
      checkParams('ping', params);
      connection.respondAnyway(context, null);
    },
    { patienceMs: PING_PATIENCE_MS },
  );
  for (const method of CLIENT_REQUEST_METHODS) {
    if (method === 'ping' || method in wire) continue;
    routeCommand(connection, commands, method);
  }
}

function routeCommand<M extends ClientRequestMethod>(
  connection: Connection,
  commands: Commands,
  method: M,
): void {
  const isConcurrent = CONCURRENT.has(method);
  connection.peer.handle(
    method,
    (params, context) => {
      // Reading it throws before the handshake [WIRE-4].
      const caller = callerOf(connection);
      const command: Command<M> | undefined = commands[method];
      if (command === undefined) throw methodNotFound(method);
      const { dialect } = connection;
      const run = async (): Promise<Result<M>> =>
        dialect.result(
          method,
          await command(
            dialect.params(method, checkCall(connection, method, params)),
            caller,
            context.signal,
          ),
        );
      return guarded(() => (isConcurrent ? connection.gate.run(run) : run()));
    },
    { concurrent: isConcurrent },
  );
}

/** The params, checked, of a call that this connection's token lets it make [AUTH-1]. */
function checkCall<M extends ClientRequestMethod>(
  { identity: { scope }, isEnding }: Connection,
  method: M,
  params: unknown,
): Params<M> {
  if (isEnding) throw permissionDenied('The token of this connection has ended');
  const checked = checkParams(method, params);
  const least = scopeOfRequest(method, checked);
  if (!isWithinScope(scope, least))
    throw permissionDenied(
      scopeRefusal(least === 'admin' ? askedFor(method, checked) : method, scope, least),
    );
  return checked;
}

function checkParams<M extends ClientRequestMethod>(method: M, params: unknown): Params<M> {
  const checked = validateParams<M>(method, params);
  if (!checked.ok) throw invalidParams(checked.error);
  const { channel } = checked.params;
  if (CONNECTION_LEVEL.has(method) && channel !== ROOT_URI) {
    throw invalidParams(`params.channel: ${method} expects exactly ${ROOT_URI}`);
  }
  return checked.params;
}

async function guarded<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof JournalUnavailable) {
      throw internalError(error.message, error);
    }
    // Logged when it was first met.
    if (error instanceof JournalError && error.code === 'damaged') {
      throw internalError('This cannot be read: the host’s database is damaged', error);
    }
    throw error;
  }
}
