import { ConnectFailed } from '@agenthost/rpc/websocket';
import { UpgradeRefused } from '@agenthost/rpc/websocket-stream';
import type { CannotConnect, Unauthorized } from '../errors.ts';
import { refusalOf, refused } from './refusal.ts';

/** The error for an HTTP answer in place of a WebSocket; `undefined` for any other failure. Node only. */
export function refusedUpgrade(endpoint: URL, failure: unknown): Unauthorized | CannotConnect | undefined {
  if (!(failure instanceof ConnectFailed) || !(failure.cause instanceof UpgradeRefused)) return undefined;
  const { status, contentType, refusal, body } = failure.cause;
  return refused(endpoint, refusalOf(status, { contentType, refusal }, body), failure);
}
