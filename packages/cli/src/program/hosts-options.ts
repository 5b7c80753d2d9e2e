import type { OptionSpec } from './option-spec.ts';

/** Options of `hosts`, and the one that chooses a host by its name. */
export const HOSTS_OPTIONS = {
  hostName: {
    flags: '--host <name>',
    type: 'text',
    description:
      'name of a host of `hosts list`, such as build or, behind a gateway, fleet/build; `local` is the one on this machine',
    defaultText: '--url',
  },
  checkedHost: {
    flags: '--host <name>',
    type: 'text',
    description: 'name of a host of `hosts list`, in place of an address; `local` is the one on this machine',
    defaultText: 'the only host that runs on this machine',
  },
  hostTokenFile: {
    flags: '--token-file <file>',
    type: 'text',
    description: 'file with an access token of the host; - reads standard input',
    defaultText: 'over ssh, the token of its owner; otherwise AGENTHOST_TOKEN, when a command names the host',
  },
  hostFingerprint: {
    flags: '--fingerprint <sha256>',
    type: 'text',
    description: "SHA-256 of the host's certificate, for https and wss",
    defaultText: 'the certificate that the host has now',
  },
  sshCommand: {
    flags: '--command <command>',
    type: 'text',
    description: 'over ssh: command line that runs agenthost on the other machine',
    defaultText: 'agenthost',
  },
  sshData: {
    flags: '--data <folder>',
    type: 'text',
    description: 'over ssh: data folder of the host on the other machine',
    defaultText: 'the only host that runs there',
  },
  replaceHost: { flags: '--force', type: 'flag', description: 'replace the host with this name' },
  noCheck: { flags: '--no-check', type: 'flag', description: 'add the host without connecting to it' },
  linkData: {
    flags: '--data <folder>',
    type: 'text',
    description: 'data folder of the host',
    defaultText: 'the only host that runs on this machine',
  },
  startAbsent: { flags: '--start', type: 'flag', description: 'start a host if none runs' },
} as const satisfies Record<string, OptionSpec>;
