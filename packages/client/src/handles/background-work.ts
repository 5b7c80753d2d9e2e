import type { BackgroundWork, ClientToHostRequests, URI } from '@agenthost/protocol';
import { CannotEndWork, DispatchRejected } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { cancelling } from './cancelling.ts';

/** What ends background work. */
export interface BackgroundPort {
  request(
    method: 'disposeTerminal',
    params: ClientToHostRequests['disposeTerminal']['params'],
  ): Promise<ClientToHostRequests['disposeTerminal']['result']>;
  subscribe(uri: URI, options: { readonly kind: 'chat'; readonly turns: number }): Promise<Mirror<'chat'>>;
}

/**
 * Ends work that a chat runs in the background: disposes of the terminal of a shell, cancels the turn of a worker [CHAT-46]. Resolves when the
 * host has done so. `now`: milliseconds since the epoch. Rejects with `CannotEndWork`, with `DispatchRejected`, and like `AhpClient.request`.
 */
export async function endBackgroundWork(
  work: BackgroundWork,
  client: BackgroundPort,
  now: () => number,
): Promise<void> {
  if (work.kind === 'shell') {
    if (work.terminal === undefined)
      throw new CannotEndWork(`${work.label} has no terminal, so only its agent can end it`);
    await client.request('disposeTerminal', { channel: work.terminal });
    return;
  }
  // A newer host may have other kinds.
  if (work.kind !== 'subagent') throw new CannotEndWork('this client does not know how to end such work');
  const worker = await client.subscribe(work.chat, { kind: 'chat', turns: 1 });
  try {
    const { activeTurn } = worker.state;
    if (activeTurn === undefined) return;
    const outcome = await worker.dispatch(cancelling(activeTurn.id, activeTurn, now()));
    // Its turn may have ended meanwhile.
    if (outcome.outcome === 'rejected' && worker.confirmed.activeTurn?.id === activeTurn.id)
      throw new DispatchRejected(outcome);
  } finally {
    worker.dispose();
  }
}
