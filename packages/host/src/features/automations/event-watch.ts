import { isRunOver } from '@agenthost/protocol';
import type { Sync } from '../../sync/sync.ts';
import type { AutomationCatalogue } from './catalogue.ts';
import { counted } from './counting.ts';
import { matches, type TurnEvent } from './events.ts';
import type { AutomationRuns } from './runs.ts';

interface WatchParts {
  readonly sync: Sync;
  readonly catalogue: AutomationCatalogue;
  readonly runs: AutomationRuns;
}

/** Admits runs when turns of sessions end [AUTO-7]. Sessions of automations do not count, or a run could start itself. */
export function watchEvents({ sync, catalogue, runs }: WatchParts): void {
  sync.observe('chat', (tx, { channel, action, before }) => {
    if (action.type !== 'chat/turnComplete' && action.type !== 'chat/error') return;
    if (before.activeTurn?.id !== action.turnId || channel.session === undefined || !catalogue.isOpen) return;
    const id = action.type === 'chat/error' ? 'failed' : 'completed';
    const event = { id, session: channel.session, chat: channel.uri, turnId: action.turnId } as const;
    tx.effect(() => admitAll({ sync, catalogue, runs }, event));
  });
}

function admitAll({ sync, catalogue, runs }: WatchParts, event: TurnEvent): void {
  const session = sync.registry.getOf('session', event.session)?.state;
  if (session === undefined || session.origin?.kind === 'automation') return;
  for (const { resource, definition } of catalogue.entries)
    for (const trigger of definition.triggers) {
      if (trigger.kind !== 'event' || !matches(trigger, event, session)) continue;
      sync.transact('host', (tx) => {
        const entry = catalogue.entry(resource);
        const open = catalogue.record(resource)?.runs.filter((run) => !isRunOver(run)) ?? [];
        // One at a time: events that come faster than runs end would fill the history.
        const isBusy = open.some(
          ({ origin }) => origin.kind === 'trigger' && origin.triggerId === trigger.id,
        );
        if (entry?.definition.enabled !== true || isBusy) return;
        const origin = {
          kind: 'trigger',
          triggerId: trigger.id,
          event: { type: trigger.type, ...event },
        } as const;
        const current = counted(entry);
        runs.admit(tx, current, origin);
      });
    }
}
