import type { ClientRequestMethod, ClientToHostRequests } from '@agenthost/protocol';
import type { Answer } from './answer.ts';
import type { Caller } from './channel-module.ts';

type Params<M extends ClientRequestMethod> = ClientToHostRequests[M]['params'];
type Result<M extends ClientRequestMethod> = ClientToHostRequests[M]['result'];
type Returned<M extends ClientRequestMethod> = Result<M> | Answer<Result<M>>;

/**
 * Handles one request of a client after its params were checked. Returns the result, which is sent behind the commit of its changes, or an
 * `Answer`. Throws a wire error.
 */
export type Command<M extends ClientRequestMethod> = (
  params: Params<M>,
  caller: Caller,
  signal: AbortSignal,
) => Returned<M> | Promise<Returned<M>>;

/** The commands of a host, by method. A method without a command answers -32601. */
export type Commands = { readonly [M in ClientRequestMethod]?: Command<M> };
