import { kindOfScheme } from '@agenthost/protocol';
import type { Feature } from '../feature.ts';
import { createWatch } from './commands.ts';
import { Watches, type WatchesParts } from './watches.ts';

/** Watches of files and folders for clients [WATCH-1]. */
export function resourceWatchFeature(parts: WatchesParts): Feature {
  const { sync } = parts;
  const watches = new Watches(parts);
  return {
    name: 'resource-watch',
    commands: { createResourceWatch: createWatch(parts, watches) },
    clients: watches,
    // A client whose watch is gone makes a new one, and knows that it has missed changes.
    recover: async () => {
      for (const uri of await sync.journal.listOpen())
        if (kindOfScheme(uri) === 'resourceWatch')
          sync.transact('host', (tx) => sync.registry.disposeUnloaded(tx, uri));
    },
    sweep: () => watches.sweep(),
    stop: () => watches.stop(),
  };
}
