import type { AhpMcpUiHostCapabilities } from '@agenthost/protocol';

/** The notifications of servers that subscribers get, with the capability that each needs. */
export const FORWARDED = {
  'notifications/tools/list_changed': 'serverTools',
  'notifications/resources/list_changed': 'serverResources',
  'notifications/message': 'logging',
} as const satisfies Record<string, keyof AhpMcpUiHostCapabilities>;

/** A notification that a server sends to the subscribers of its channel. */
export type SideNotification = keyof typeof FORWARDED;
