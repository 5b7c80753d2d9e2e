import type { Host } from '@agenthost/host';
import { hasExited } from '@agenthost/protocol';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * Checks that every open turn will end: its agent works, its command runs, or the turn that spawned its worker
 * is open. Throws a `Violation`.
 */
export function checkOwners({ life }: World): void {
  if (life === undefined) return;
  const { registry } = life.host.core.sync;
  for (const channel of registry.ofKind('chat')) {
    const { activeTurn, origin } = channel.state;
    if (activeTurn === undefined) continue;
    const what = `${channel.uri}: turn ${activeTurn.id}`;
    if (origin?.kind === 'tool') {
      if (registry.getOf('chat', origin.chat)?.state.activeTurn === undefined)
        throw new Violation('owner', `${what} of a worker whose parent has no turn`);
      continue;
    }
    const session = registry.getOf('session', channel.session ?? '');
    if (session?.state.lifecycle === 'creating') continue;
    if (activeTurn.message.text.startsWith('!')) {
      // A turn after a truncated one waits until the agent has ended the truncated turn.
      if (!isRunning(life.host.core.sync, activeTurn.id) && !life.agents.isBusy(channel.uri))
        throw new Violation('owner', `${what} is a command that does not run`);
      continue;
    }
    if (!life.agents.isBusy(channel.uri)) throw new Violation('owner', `${what} belongs to nobody`);
  }
}

/** Whether a command runs for this turn. */
const isRunning = ({ registry }: Host['core']['sync'], turnId: string): boolean =>
  [...registry.ofKind('terminal')].some(
    ({ state }) => !hasExited(state) && state.claim.kind === 'session' && state.claim.turnId === turnId,
  );
