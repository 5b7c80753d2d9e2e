import { createSetting } from '../../live/setting.ts';

/** What this browser keeps of its registration at the host. */
export interface KeptDevice {
  /** Id of the device at the host. */
  readonly id: string;
  /** Endpoint of the subscription that was registered. */
  readonly endpoint: string;
}

/** The registration of this browser; `null`: notifications are off. */
export const keptDeviceSetting = createSetting<KeptDevice | null>('push.device', null, readKeptDevice);

function readKeptDevice(stored: unknown): KeptDevice | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const [id, endpoint]: unknown[] = [Reflect.get(stored, 'id'), Reflect.get(stored, 'endpoint')];
  return typeof id === 'string' && typeof endpoint === 'string' ? { id, endpoint } : null;
}
