import type { UpdatePushParams } from '@agenthost/protocol';

/** A change of a device's settings. */
export type DeviceChange = Pick<UpdatePushParams, 'quietHours' | 'mutedSessions' | 'events'>;
