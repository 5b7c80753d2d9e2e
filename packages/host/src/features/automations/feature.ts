import { createHash } from 'node:crypto';
import { type AutomationEntry, channelUri, invalidParam, isRunOver, notFound } from '@agenthost/protocol';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { automationCapabilities } from '../../config/automation-capabilities.ts';
import { type ChannelModule, reject } from '../../handler-port/channel-module.ts';
import type { Commands } from '../../handler-port/commands.ts';
import type { Clock, Timers } from '../../lib/clock.ts';
import type { SessionParts } from '../../sessions/parts.ts';
import type { Feature } from '../feature.ts';
import { AutomationCatalogue } from './catalogue.ts';
import { disabledEntry } from './entry-notes.ts';
import { watchEvents } from './event-watch.ts';
import { EVENT_TYPES } from './events.ts';
import { automationModule } from './module.ts';
import { AutomationRuns, type RunParts } from './runs.ts';
import { Scheduler } from './scheduler.ts';

type Parts = SessionParts &
  Omit<RunParts, 'catalogue' | 'runHistoryLimit'> & {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly accessTokens: AccessTokens;
    readonly capabilities: ReturnType<typeof automationCapabilities>;
  };

/** Automations: definitions, schedules and runs [AUTO-1] to [AUTO-15]. */
export function automationsFeature(parts: Parts): Feature {
  const { sync, capabilities, accessTokens } = parts;
  const catalogue = new AutomationCatalogue(parts);
  const runs = new AutomationRuns({ ...parts, catalogue, runHistoryLimit: capabilities.runHistoryLimit });
  const scheduler = new Scheduler({ ...parts, catalogue, runs });
  const arm = (): void => scheduler.arm();
  parts.drain.add({ resume: arm });
  const { minIntervalMinutes } = capabilities.schedules;
  /** A token that has ended does no more work. */
  const disableOf = (isEnded: (tokenHash: string) => boolean): void => {
    const own = [...catalogue.records].filter(({ by }) => isEnded(by.tokenHash));
    sync.transact('host', (tx) => {
      for (const { resource } of own) {
        const entry = catalogue.entry(resource);
        if (entry?.definition.enabled === true) catalogue.publish(tx, disabledEntry(entry, 'tokenEnded'));
      }
      tx.effect(arm);
    });
  };
  return {
    name: 'automations',
    commands: automationCommands(parts, catalogue, runs),
    channel: {
      automation: automationModule({ ...parts, catalogue, minIntervalMinutes, arm }),
      automationRun: runModule(runs),
    },
    observe: () => {
      runs.observe();
      watchEvents({ sync, catalogue, runs });
      accessTokens.onEnded((tokenHash) => disableOf((hash) => hash === tokenHash));
    },
    recover: async () => {
      await catalogue.open();
      await runs.recover();
      // Tokens may have expired while the host was away.
      disableOf((hash) => accessTokens.isExpired(hash));
    },
    stop: () => {
      runs.stop();
      scheduler.stop();
    },
  };
}

/** Plans the actions of clients on a run [RUN-3]. */
const runModule = (runs: AutomationRuns): ChannelModule<'automationRun'> => ({
  plan: (run, action) =>
    isRunOver(run.state)
      ? reject('runOver', `The run is ${run.state.lifecycle.status}`)
      : { action, after: (tx) => runs.cancel(tx, run) },
});

function automationCommands(
  { sync, agents }: Pick<Parts, 'sync' | 'agents'>,
  catalogue: AutomationCatalogue,
  runs: AutomationRuns,
): Commands {
  const entryOf = (uri: string): AutomationEntry => {
    const entry = catalogue.entry(uri);
    if (entry === undefined) throw notFound('automation', uri);
    return entry;
  };
  return {
    runAutomation: async ({ automation, requestId }) => {
      // The same request has the same URI, so that the run itself is the durable record of the request [AUTO-10].
      const { createdAt } = entryOf(automation);
      const key = createHash('sha256').update(JSON.stringify([automation, createdAt, requestId]));
      const resource = channelUri('automationRun', key.digest('hex').slice(0, 32));
      if ((await sync.registry.open(resource)) !== undefined) return { resource };
      const entry = entryOf(automation);
      // The same request may have come twice.
      if (sync.registry.get(resource) !== undefined) return { resource };
      sync.transact('client', (tx) => {
        runs.admit(tx, entry, { kind: 'manual' }, resource);
      });
      return { resource };
    },
    fetchAutomationRuns: ({ automation, cursor }) => {
      const entry = entryOf(automation);
      sync.transact('client', (tx) => {
        if (!catalogue.showMore(tx, entry, cursor)) throw invalidParam('cursor', 'unknown');
      });
      return {};
    },
    listAutomationTriggerDefinitions: ({ provider }) => {
      agents.get(provider);
      return { items: [...EVENT_TYPES] };
    },
  };
}
