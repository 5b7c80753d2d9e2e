import type { Channel } from './channel.ts';

/** Whether a session depends on clients that may not return after a restart: it stays marked as open. */
export const isAwaited = ({ state, hostData }: Channel<'session'>): boolean =>
  state.activeClients.length > 0 || hostData.unlistedFor !== undefined;
