import type { TerminalState } from '@agenthost/protocol';
import { type ChannelModule, reject } from '../../handler-port/channel-module.ts';
import type { Sync } from '../../sync/sync.ts';
import { openClaim } from '../../terminals/claims.ts';
import { fittedSize } from '../../terminals/launch.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import type { ClientBinding, ClientIds } from '../../wire/clients/client-ids.ts';
import type { Presence } from '../../wire/clients/presence.ts';
import { checkTerminalAction } from './rules.ts';

const SILENT = reject('notReachable', 'What runs this terminal does not answer now; it goes on once it does');

/** What clients do on terminals, and what follows. */
export function terminalModule(parts: {
  sync: Sync;
  terminals: Terminals;
  presence: Presence;
  readonly clientIds: ClientIds;
}): ChannelModule<'terminal'> {
  const { sync, terminals, presence } = parts;
  const surroundings = {
    isGone: (clientId: string) => presence.isGone(clientId),
    hasSession: (uri: string) => sync.registry.getOf('session', uri) !== undefined,
  };
  /** Actions whose session was looked for; one that is not in memory then does not exist. */
  const looked = new WeakSet<object>();
  /** Claims, with what binds the id that they name to a token. */
  const bindings = new WeakMap<object, ClientBinding>();
  /** What the terminal showed that is just being cleared. */
  let shown: TerminalState['content'] = [];
  return {
    isPrivate: ({ type }) => type === 'terminal/input',
    prepare: (_, action) => {
      if (action.type !== 'terminal/claimed') return undefined;
      if (action.claim.kind === 'client') {
        const { clientId } = action.claim;
        if (parts.clientIds.isHere(clientId) || bindings.has(action)) return undefined;
        return parts.clientIds.lookUp(clientId).then((binding) => {
          bindings.set(action, binding);
        });
      }
      const { session } = action.claim;
      if (surroundings.hasSession(session) || looked.has(action)) return undefined;
      looked.add(action);
      return sync.registry.open(session).then(() => undefined);
    },
    before: (tx, channel, action) => {
      if (action.type === 'terminal/cleared') shown = channel.state.content;
      if (action.type !== 'terminal/input') return;
      const { data } = action;
      const pty = terminals.runner(channel.uri)?.pty;
      // In front of its echo: whoever is told that it was taken can rely on that, whatever happens to the host in between.
      tx.publish(() => pty?.write(data));
    },
    check: (channel, action, { clientId }) =>
      checkTerminalAction(channel.state, action, clientId, surroundings) ??
      (action.type === 'terminal/input' && terminals.isAwaited(channel.uri) ? SILENT : undefined),
    fit: (_tx, _channel, action) => (action.type === 'terminal/resized' ? fittedSize(action) : action),
    after: (tx, channel, action, { tokenHash }) => {
      switch (action.type) {
        case 'terminal/resized': {
          terminals.runner(channel.uri)?.resized(tx, action.cols, action.rows);
          return;
        }
        case 'terminal/titleChanged':
          tx.setHostData(channel, { ...channel.hostData, titledBy: 'somebody' });
          return;
        case 'terminal/claimed': {
          bindings.get(action)?.bindTo(tx, tokenHash);
          const open = openClaim(sync, action.claim);
          if (open !== action.claim) tx.emit(channel, { type: 'terminal/claimed', claim: open });
          return;
        }
        case 'terminal/cleared':
          terminals.runner(channel.uri)?.cleared(tx, shown);
          shown = [];
          return;
        default:
      }
    },
  };
}
