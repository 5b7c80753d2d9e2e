import type { OptionSpec } from './option-spec.ts';

/** Options of `gateway` and what is below it. */
export const GATEWAY_OPTIONS = {
  gatewayJournal: {
    flags: '--journal <url>',
    type: 'text',
    env: 'AGENTHOST_JOURNAL',
    description:
      'the database of the hosts, a URL such as postgres://user@server/database; AGENTHOST_JOURNAL_PASSWORD has the password',
  },
  gatewayPort: {
    flags: '--port <port>',
    type: 'number',
    description: 'port to listen on; 0 picks a free port',
    default: 4710,
    min: 0,
    max: 65_535,
    isInteger: true,
  },
  gatewayHost: {
    flags: '--host <address>',
    type: 'text',
    description:
      'address to listen on; an address other than loopback admits other machines and requires --tls-cert or --insecure-listen',
    default: '127.0.0.1',
  },
  gatewayToken: {
    flags: '--token-file <file>',
    type: 'text',
    description:
      'file with the token of the gateway, at least 32 characters; AGENTHOST_TOKEN takes precedence',
    defaultText: "gateway-token in the user's config folder, created on first use",
  },
  hostTokens: {
    flags: '--host-tokens <file>',
    type: 'text',
    description: 'JSON file with an object of owner tokens by cell',
    defaultText: 'all hosts have the token of the gateway',
  },
  allowedHost: {
    flags: '--allowed-host <name>',
    type: 'list',
    description: 'public name of the gateway, such as agents.example.org; repeatable',
  },
  allowedOrigin: {
    flags: '--allowed-origin <origin>',
    type: 'list',
    description: 'origin of another page that may connect, such as https://example.org; repeatable',
  },
  gatewayProxy: {
    flags: '--trust-proxy <address>',
    type: 'list',
    description:
      'accept the X-Forwarded headers of this proxy, an IP address or subnet; those on loopback are trusted too; repeatable',
  },
  gatewayLog: { flags: '--log <file>', type: 'text', description: 'write a log to this file' },
  gatewayFingerprint: {
    flags: '--fingerprint <sha256>',
    type: 'text',
    description: "SHA-256 of the gateway's certificate, for https; other certificates are refused",
    defaultText: 'the certificate of the first connection',
  },
  gatewayUrl: {
    flags: '--url <url>',
    type: 'text',
    env: 'AGENTHOST_GATEWAY',
    description: 'address of the gateway; AGENTHOST_TOKEN has its token',
    default: 'http://127.0.0.1:4710',
  },
  wantedLabel: {
    flags: '--label <text>',
    type: 'list',
    description: 'label that the host must have; repeatable, all must match',
  },
  repository: {
    flags: '--repository <uri>',
    type: 'text',
    description: 'prefer a host with sessions of this project or folder, such as file:///srv/app',
  },
  newest: {
    flags: '--limit <count>',
    type: 'number',
    description: 'maximum number of sessions to list',
    default: 50,
    min: 1,
    max: 1_000,
    isInteger: true,
  },
} as const satisfies Record<string, OptionSpec>;
