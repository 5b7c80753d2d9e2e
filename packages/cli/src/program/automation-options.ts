import type { OptionSpec } from './option-spec.ts';

/** Options of `automations` and what is below it. */
export const AUTOMATION_OPTIONS = {
  cron: {
    flags: '--cron <expression>',
    type: 'list',
    description:
      'when it runs: minute, hour, day of month, month, day of week, such as "0 3 * * MON-FRI"; repeatable',
    defaultText: 'no schedule',
  },
  zone: {
    flags: '--zone <name>',
    type: 'text',
    description: 'time zone of --cron, such as Europe/Berlin or UTC',
    defaultText: 'the zone of this machine',
  },
  onEvent: {
    flags: '--on <event>',
    type: 'list',
    description:
      'start a run at an event of the host, such as turn:failed; the command `automations events` lists them; repeatable',
  },
  newCron: {
    flags: '--cron <expression>',
    type: 'list',
    description:
      'when it runs, in place of all present times: minute, hour, day of month, month, day of week; repeatable; off for no schedule',
  },
  newOnEvent: {
    flags: '--on <event>',
    type: 'list',
    description:
      'start a run at an event of the host, in place of all present events; the command `automations events` lists them; repeatable; off for none',
  },
  onConfig: {
    flags: '--on-config <key=value>',
    type: 'list',
    description: 'setting of the events, such as folder=/srv/shop; repeatable',
  },
  missed: {
    flags: '--missed <policy>',
    type: 'choice',
    choices: ['run', 'skip'],
    default: 'run',
    description: 'after times when the host was not running: make one run for all of them, or none',
  },
  newMissed: {
    flags: '--missed <policy>',
    type: 'text',
    description:
      'run or skip: after times when the host was not running, make one run for all of them, or none',
  },
  automationTitle: {
    flags: '--title <text>',
    type: 'text',
    description: 'name of the automation and of its sessions',
    defaultText: 'the beginning of the prompt',
  },
  newAutomationTitle: {
    flags: '--title <text>',
    type: 'text',
    description: 'name of the automation and of its sessions',
  },
  newAgent: { flags: '--agent <id>', type: 'text', description: 'agent to use' },
  newCwd: { flags: '--cwd <folder>', type: 'text', description: 'folder to work in' },
  newSessionConfig: {
    flags: '--config <key=value>',
    type: 'list',
    description: 'setting of the sessions or their agent; the others are kept; repeatable',
  },
  plugin: {
    flags: '--plugin <folder>',
    type: 'list',
    description: 'plugin of its runs; the host copies the folder; repeatable',
  },
  newPlugin: {
    flags: '--plugin <folder>',
    type: 'list',
    description: 'plugins of its runs, copied anew, in place of all present ones; off for none; repeatable',
  },
  maxRuns: {
    flags: '--max-runs <count>',
    type: 'text',
    description: 'disable it after this number of scheduled runs; off for no limit',
  },
  until: {
    flags: '--until <time>',
    type: 'text',
    description: 'disable it at this time, such as 2027-01-31 or 2027-01-31T18:00; off for no end',
  },
  disabled: {
    flags: '--disabled',
    type: 'flag',
    description: 'save the automation without enabling its schedule and events',
  },
  waitForRun: { flags: '--wait', type: 'flag', description: 'wait until the run has ended' },
  runLimit: {
    flags: '--limit <count>',
    type: 'number',
    description: 'maximum number of runs to list',
    default: 20,
    min: 1,
    max: 10_000,
    isInteger: true,
  },
} as const satisfies Record<string, OptionSpec>;
