import type { ConnectionState } from '@agenthost/client';
import { oneLine } from '../../render/plain-text.ts';
import { type Line, line } from '../text/line.ts';
import { cutLine, justified } from '../text/wrap.ts';
import type { Tone } from './environment.ts';

/** What the last line of the window tells. */
export interface StatusFacts {
  readonly width: number;
  readonly address: string;
  readonly notice: { readonly text: string; readonly tone: Tone } | undefined;
  /** The token lets nobody do anything here. */
  readonly isObserving?: boolean;
  /** A session is being opened. */
  readonly opening: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

/** The connection, or what the person has to know first. */
export function statusLine(
  status: ConnectionState,
  { width, address, notice, opening, now, isObserving = false }: StatusFacts,
): Line {
  const connection = connectionLine(status, address, now, isObserving);
  const isOnline = status.state === 'online';
  if (notice !== undefined) {
    const told = line(notice.text, notice.tone === 'problem' ? { color: 'red' } : { color: 'green' });
    return isOnline ? cutLine(told, width) : justified(told, connection, width);
  }
  return cutLine(isOnline && opening ? line('opening the session', { dim: true }) : connection, width);
}

function connectionLine(status: ConnectionState, address: string, now: number, isObserving: boolean): Line {
  switch (status.state) {
    case 'online':
      return line(`connected to ${address}${isObserving ? ', observing only' : ''}`, { dim: true });
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((status.retryAt - now) / 1_000));
      return line(`connection lost: ${oneLine(status.reason, 60)}; next try in ${seconds} s`, {
        color: 'red',
      });
    }
    case 'replaced':
    case 'closed':
      return line(`connection closed: ${oneLine(status.error.message)}`, { color: 'red' });
    default:
      return line(`connecting to ${address}`, { color: 'yellow' });
  }
}
