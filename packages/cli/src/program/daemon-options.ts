import type { OptionSpec } from './option-spec.ts';

const DRAIN = {
  flags: '--drain <seconds>',
  type: 'number',
  unit: 's',
  min: 0,
  max: 86_400,
  isInteger: false,
} as const;

/** Options of `start`, `stop`, `restart`, `status` and of `serve` at its end. */
export const DAEMON_OPTIONS = {
  drain: {
    ...DRAIN,
    default: 0,
    description:
      'at the first SIGTERM or Ctrl-C, start no new turns and wait this long for those that run; a second signal ends at once',
  },
  stopDrain: {
    ...DRAIN,
    description:
      'start no new turns, and wait this long for those that run; also for a host that stops already, which is then ended at once',
    defaultText: "the host's own --drain",
  },
  restartDrain: {
    ...DRAIN,
    default: 60,
    description: 'start no new turns, and wait this long for those that run',
  },
  detach: { flags: '--detach', type: 'flag', description: 'run in the background, as `start` does' },
  listenOn: {
    flags: '--listen <address>',
    type: 'text',
    description: 'address on which the next host is to listen; its port is checked there',
    default: '127.0.0.1',
  },
  ofData: {
    flags: '--data <folder>',
    type: 'text',
    description: 'the host with this data folder',
    defaultText: 'the only host that runs',
  },
  ofUrl: {
    flags: '--url <url>',
    type: 'text',
    env: 'AGENTHOST_URL',
    description: 'the host at this address, on this machine',
    defaultText: 'the only host that runs',
  },
  serviceDrain: {
    ...DRAIN,
    default: 60,
    description: 'when the service stops, start no new turns and wait this long for those that run',
  },
  serviceEnv: {
    flags: '--env <name>',
    type: 'list',
    description:
      'variable for the host and its agents, as NAME, with its value in your login shell, or as NAME=value; repeatable',
    defaultText: 'PATH, the language, proxies and certificates',
  },
  print: { flags: '--print', type: 'flag', description: 'print the file of the service, and change nothing' },
  ofSystem: {
    flags: '--system',
    type: 'flag',
    description: 'the service of the machine, which runs as the user agenthost (systemd)',
  },
  logLines: {
    flags: '--lines <count>',
    type: 'number',
    description: 'number of last lines to show',
    default: 100,
    min: 0,
    max: 1_000_000,
    isInteger: true,
  },
  followLog: { flags: '--follow', type: 'flag', description: 'go on with new lines until Ctrl-C' },
  noUpdateCheck: {
    flags: '--no-update-check',
    type: 'flag',
    description: 'do not ask npm once a day for a newer version',
  },
} as const satisfies Record<string, OptionSpec>;
