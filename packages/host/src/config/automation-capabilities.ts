import type { AutomationCapabilities } from '@agenthost/protocol';

/** The abilities of a host with automations [AUTO-1]. Defaults: one minute, 100 ended runs. */
export const automationCapabilities = ({
  minIntervalMinutes = 1,
  runHistoryLimit = 100,
}: {
  readonly minIntervalMinutes?: number;
  readonly runHistoryLimit?: number;
}) =>
  ({
    create: {},
    schedules: { minIntervalMinutes },
    runCancellation: {},
    runHistoryLimit,
  }) satisfies AutomationCapabilities;
