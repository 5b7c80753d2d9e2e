export {
  ConnectionClosed,
  type ErrorObject,
  JSON_RPC_ERROR,
  RequestAborted,
  RequestTimeout,
  RpcError,
} from './errors.ts';
export {
  DEFAULT_MAX_DEPTH,
  type ErrorMessage,
  type RequestId,
  type ResponseMessage,
  type ResultMessage,
} from './message.ts';
export type {
  AnyMethods,
  MethodMap,
  NotificationName,
  NotificationParams,
  RequestName,
  RequestParams,
  RequestResult,
} from './methods.ts';
export {
  DEFAULT_MAX_QUEUED,
  type HandleOptions,
  Peer,
  type PeerOptions,
  type RequestOptions,
} from './peer.ts';
export type { RequestContext } from './request-context.ts';
export { realTimers, type Timers } from './timers.ts';
export {
  type CloseInfo,
  DEFAULT_MAX_CLIENT_FRAME_BYTES,
  DEFAULT_MAX_HOST_FRAME_BYTES,
  TRANSPORT_CLOSE,
  type Transport,
  type TransportHandlers,
} from './transport.ts';
