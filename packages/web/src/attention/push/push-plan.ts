import type { KeptDevice } from './kept-device.ts';

/**
 * What to do about notifications when the page opens. `renew`: the browser replaced or dropped its subscription, so it must be registered again.
 * `revoked`: the host no longer knows the device, because somebody revoked it or its token ended.
 */
export type PushPlan = 'off' | 'on' | 'renew' | 'revoked';

/** Compares what the browser keeps with its subscription and with the devices that the host knows. */
export function pushPlan(
  kept: KeptDevice | null,
  endpoint: string | undefined,
  deviceIds: readonly string[],
): PushPlan {
  if (kept === null) return 'off';
  if (endpoint !== kept.endpoint) return 'renew';
  return deviceIds.includes(kept.id) ? 'on' : 'revoked';
}
