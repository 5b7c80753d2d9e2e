import type { RootConfigState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { numberSetting } from '../config/host-config.ts';
import type { Journal } from '../journal/journal.ts';
import { Maintenance } from '../journal/maintenance.ts';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Core } from './core.ts';
import type { HostOptions } from './options.ts';

/**
 * Keeps the journal of a running host small, and removes old sessions and clients according to the options.
 * The caller stops it.
 */
export function startMaintenance(
  { sync, hub, features, terminals, dropTurns }: Core,
  journal: Journal,
  { options, ...parts }: { clock: Clock; timers: Timers; log: Log; lastTime: number; options: HostOptions },
): Maintenance {
  const owner = {
    clientId: '',
    tokenHash: '',
    scope: 'admin' as const,
    isAdmin: true,
    locale: 'en',
    sink: { envelope: () => undefined, frame: () => undefined, notification: () => undefined },
  };
  const maintenance = new Maintenance({
    journal,
    ...parts,
    window: replayWindow(() => sync.root.state.config, options.replayWindow),
    ...defined({ retention: options.retention }),
    commit: (rows) => sync.commitRows(rows),
    snapshot: async (uris) => {
      for (const uri of uris) {
        const wasLoaded = sync.registry.get(uri) !== undefined;
        const channel = await sync.registry.load(uri);
        if (channel === undefined) continue;
        sync.transact('host', (tx) => {
          sync.registry.writeSnapshot(tx, channel);
          // All of them together may take hundreds of megabytes for terminals without subscribers.
          if (!wasLoaded && channel.is('terminal')) tx.effect(() => terminals.letGo(channel));
        });
        if (!wasLoaded) await sync.path.drain();
      }
      await sync.path.drain();
    },
    dropTurns,
    disposeSession: async (uri) => {
      await features.commands.disposeSession?.({ channel: uri }, owner, new AbortController().signal);
    },
    clients: {
      refresh: () => hub.clients.refresh(),
      isPresent: (id) => hub.clients.inMemory(id) !== undefined,
      adopt: (clients) => hub.clients.adopt(clients),
      forgotten: (ids) => hub.clients.forgotten(ids),
    },
  });
  maintenance.start();
  return maintenance;
}

const HOUR_MS = 60 * 60_000;
const MEBIBYTE = 1024 * 1024;

/** The replay window from the options, or else from the host's config at the time of use. */
function replayWindow(
  config: () => RootConfigState | undefined,
  given: NonNullable<HostOptions['replayWindow']> = {},
): { readonly maxAgeMs: number; readonly maxBytes: number } {
  return {
    get maxAgeMs() {
      return given.maxAgeMs ?? numberSetting(config(), 'replayWindowHours') * HOUR_MS;
    },
    get maxBytes() {
      return given.maxBytes ?? numberSetting(config(), 'replayWindowMegabytes') * MEBIBYTE;
    },
  };
}
