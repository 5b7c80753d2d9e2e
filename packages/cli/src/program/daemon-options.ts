import { DEFAULT_PORT } from '../host-link/default-port.ts';
import type { OptionSpec } from './option-spec.ts';

const DRAIN = {
  flags: '--drain <seconds>',
  type: 'number',
  unit: 's',
  min: 0,
  max: 86_400,
  isInteger: false,
} as const;

/** Options of `start`, `stop`, `restart`, `status` and `service`, and `--drain` of `serve`. */
export const DAEMON_OPTIONS = {
  drain: {
    ...DRAIN,
    default: 0,
    description:
      'at the first SIGTERM or Ctrl-C, start no new turns and wait up to this long for running turns; a second signal ends the host at once',
  },
  stopDrain: {
    ...DRAIN,
    description:
      'start no new turns, and wait up to this long for running turns; a host that is already stopping ends at once after this time',
    defaultText: "the host's own --drain",
  },
  restartDrain: {
    ...DRAIN,
    default: 60,
    description: 'start no new turns, and wait up to this long for running turns',
  },
  detachHost: { flags: '--detach', type: 'flag', description: 'run in the background, as `start` does' },
  checkedPort: {
    flags: '--port <port>',
    type: 'number',
    env: 'AGENTHOST_PORT',
    description: 'port of the next host, to check whether it is free',
    default: DEFAULT_PORT,
    min: 0,
    max: 65_535,
    isInteger: true,
  },
  listenOn: {
    flags: '--listen <address>',
    type: 'text',
    description: 'address at which the port is checked',
    default: '127.0.0.1',
  },
  ofData: {
    flags: '--data <folder>',
    type: 'text',
    description: 'the host or standby with this data folder',
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
    description: 'when the service stops, start no new turns and wait up to this long for running turns',
  },
  serviceEnv: {
    flags: '--env <name>',
    type: 'list',
    description:
      'variable for the host and its agents: NAME takes the value of your login shell, NAME=value sets one; repeatable',
    defaultText: 'only PATH, the language, proxies, certificates and other basic variables',
  },
  print: { flags: '--print', type: 'flag', description: 'print the file of the service, and change nothing' },
  ofSystem: {
    flags: '--system',
    type: 'flag',
    description: 'the service of the machine, which runs as the user agenthost (systemd)',
  },
  serviceLines: {
    flags: '-n, --lines <count>',
    type: 'number',
    description: 'number of last lines to show',
    default: 100,
    min: 0,
    max: 1_000_000,
    isInteger: true,
  },
  followLog: { flags: '--follow', type: 'flag', description: 'print new lines until Ctrl-C' },
  noUpdateCheck: {
    flags: '--no-update-check',
    type: 'flag',
    description: 'do not ask npm once a day for a newer version',
  },
} as const satisfies Record<string, OptionSpec>;
