import type { TerminalAction } from '@agenthost/protocol';
import { type Caller, type ChannelModule, type Planned, reject } from '../../handler-port/channel-module.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import { openClaim } from '../../terminals/claims.ts';
import { fittedSize } from '../../terminals/start/launch.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import type { Presence } from '../../wire/clients/client-lives.ts';
import type { ClientBinding, ClientIds } from '../../wire/clients/clients.ts';
import { checkTerminalAction } from './rules.ts';

const SILENT = reject(
  'notReachable',
  'The process that holds this terminal does not answer now. The terminal continues when the process answers',
);

const HISTORY = reject('exited', 'This terminal was removed; only its output is left');

/** Plans actions of clients on terminals. */
export function terminalModule(parts: {
  sync: Sync;
  terminals: Terminals;
  presence: Presence;
  readonly clientIds: ClientIds;
}): ChannelModule<'terminal'> {
  return { plan: (channel, action, caller) => planAction(parts, channel, { action, caller }) };
}

type Parts = Parameters<typeof terminalModule>[0];

/** Data for a claim: its session, or the token that the named client id belongs to. */
type Found = { readonly kind: 'session' } | { readonly kind: 'client'; readonly binding: ClientBinding };

function planAction(
  parts: Parts,
  channel: Channel<'terminal'>,
  { action, caller }: { action: TerminalAction; caller: Caller },
  found?: Found,
): Planned<'terminal'> {
  const { sync, terminals, presence } = parts;
  if (channel.hostData.isHistory === true) return HISTORY;
  const looking = found === undefined ? lookUp(parts, action) : undefined;
  if (looking !== undefined)
    return looking.then((next) => () => planAction(parts, channel, { action, caller }, next));
  const rejection = checkTerminalAction(channel.state, action, caller.clientId, {
    isGone: (clientId) => presence.isGone(clientId),
    chatsOf: (uri) => sync.registry.getOf('session', uri)?.state.chats.map(({ resource }) => resource),
  });
  if (rejection !== undefined) return rejection;
  const runner = terminals.runner(channel.uri);
  switch (action.type) {
    case 'terminal/input':
      if (terminals.isAwaited(channel.uri)) return SILENT;
      return {
        action,
        isPrivate: true,
        // Runs before the echo, so that a client that gets the echo can rely on the write even if the host
        // ends.
        before: (tx) => tx.publish(() => runner?.pty.write(action.data)),
      };
    case 'terminal/resized': {
      const fitted = fittedSize(action);
      return { action: fitted, after: (tx) => runner?.resized(tx, fitted.cols, fitted.rows) };
    }
    case 'terminal/titleChanged':
      return {
        action,
        after: (tx) => tx.setHostData(channel, { ...channel.hostData, titledBy: 'somebody' }),
      };
    case 'terminal/claimed':
      return {
        action,
        after: (tx) => {
          if (found?.kind === 'client') found.binding.bindTo(tx, caller.tokenHash);
          const open = openClaim(sync, action.claim);
          if (open !== action.claim) tx.emit(channel, { type: 'terminal/claimed', claim: open });
        },
      };
    case 'terminal/cleared': {
      const shown = channel.state.content;
      return { action, after: (tx) => runner?.cleared(tx, shown) };
    }
    default:
      return { action };
  }
}

/** Loads data for a claim that is not in memory; `undefined` if nothing is missing. */
function lookUp({ sync, clientIds }: Parts, action: TerminalAction): Promise<Found> | undefined {
  if (action.type !== 'terminal/claimed') return undefined;
  const { claim } = action;
  if (claim.kind === 'client') {
    if (clientIds.isConnected(claim.clientId)) return undefined;
    return clientIds.lookUp(claim.clientId).then((binding) => ({ kind: 'client', binding }));
  }
  if (sync.registry.getOf('session', claim.session) !== undefined) return undefined;
  return sync.registry.open(claim.session).then(() => ({ kind: 'session' }));
}
