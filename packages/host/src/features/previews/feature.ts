import { conflict, sessionNotFound } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { OwnerTokens } from '../../auth/owner-tokens.ts';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import type { PortScanner } from '../../previews/port-scanner.ts';
import { PreviewList } from '../../previews/preview-list.ts';
import type { SessionListing } from '../../sessions/catalogue.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Terminals } from '../../terminals/terminals.ts';
import type { TurnSupervisor } from '../../turns/supervisor.ts';
import type { Feature } from '../feature.ts';
import { PortWatch } from './port-watch.ts';
import { SessionRoots } from './session-roots.ts';

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly accessTokens: AccessTokens;
  readonly ownerTokens: OwnerTokens;
  readonly terminals: Pick<Terminals, 'processes'>;
  readonly turns: Pick<TurnSupervisor, 'agentProcesses'>;
  readonly listing: SessionListing;
  readonly presentClients: Pick<PresentClients, 'onChange'>;
  /** Absent: ports are not shown. */
  readonly scanner: PortScanner | undefined;
}

const UNAVAILABLE = 'This host does not find the ports of processes: that works on Linux and macOS only.';

/** The ports that processes of sessions listen on, and their previews: browsers open them through the host. */
export function previewsFeature(parts: Parts): Feature & { readonly previews: PreviewList } {
  const { sync, accessTokens, ownerTokens, listing, presentClients } = parts;
  const roots = new SessionRoots(parts);
  const watch = new PortWatch({ ...parts, input: () => roots.input() });
  const previews = new PreviewList({
    clock: parts.clock,
    isTokenValid: (hash) => ownerTokens.isPresent(hash) || accessTokens.isValid(hash),
    findPort: (session, port) => watch.find(session, port),
  });
  accessTokens.onEnded((tokenHash) => previews.endThose((identity) => identity.tokenHash === tokenHash));
  listing.onChange((tx, uri, by) => {
    if (by === -1) tx.effect(() => previews.endSession(uri));
  });
  presentClients.onChange(() => watch.wake());
  return {
    name: 'previews',
    previews,
    commands: {
      'x-listPorts': async ({ session }) => {
        if (parts.scanner === undefined) return { items: [], unavailable: UNAVAILABLE };
        const items = [...(await watch.list())].flatMap(([uri, ports]) =>
          session === undefined || session === uri ? ports.map((port) => ({ ...port, session: uri })) : [],
        );
        return { items };
      },
      'x-openPreview': async ({ channel, port }, { tokenHash, scope, signInHash }) => {
        if ((await sync.registry.openOf('session', channel)) === undefined) throw sessionNotFound(channel);
        if (parts.scanner === undefined) throw conflict(UNAVAILABLE);
        const identity = { tokenHash, scope, ...defined({ signInHash }) };
        const { url, isAtHost, expiresAt } = await previews.open(channel, port, identity);
        return { url, ...(isAtHost ? { isAtHost } : {}), expiresAt };
      },
    },
    observe: () => {
      sync.observe('root', (tx, { before, after }) => {
        if (before.terminals !== after.terminals) tx.effect(() => watch.wake());
      });
      sync.observe('chat', (tx, { before, after }) => {
        if (before.activeTurn?.id !== after.activeTurn?.id) tx.effect(() => watch.wake());
      });
    },
    sweep: () => previews.endThose(() => false),
    stop: () => {
      watch.stop();
      previews.stop();
    },
  };
}
