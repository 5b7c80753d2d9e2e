import type { AutomationCapabilities } from '@agenthost/protocol';

/** The abilities of a host with automations [AUTO-1]. Defaults: one minute, 100 ended runs. `copiesPlugins`: templates may name
 * plugins of clients [AUTO-14]. */
export const automationCapabilities = (
  {
    minIntervalMinutes = 1,
    runHistoryLimit = 100,
  }: {
    readonly minIntervalMinutes?: number;
    readonly runHistoryLimit?: number;
  },
  { copiesPlugins }: { readonly copiesPlugins: boolean },
) =>
  ({
    create: {},
    schedules: { minIntervalMinutes },
    runCancellation: {},
    runHistoryLimit,
    ...(copiesPlugins ? { customizations: {} } : {}),
  }) satisfies AutomationCapabilities;
