import type { Option } from 'commander';
import { type OptionSpec, toOption } from './option-spec.ts';
import { TERM_OPTIONS } from './term-options.ts';

/** Every option of every command. */
export const OPTIONS = {
  json: { flags: '--json', type: 'flag', description: 'print one JSON object per line and nothing else' },
  verbose: { flags: '--verbose', type: 'flag', description: 'show the causes of errors' },
  url: {
    flags: '--url <url>',
    type: 'text',
    env: 'AGENTHOST_URL',
    description:
      "address of the host, http(s) or ws(s); a token in AGENTHOST_TOKEN is used for any host, in place of the owner's",
    defaultText: 'the host that runs on this machine',
  },
  fingerprint: {
    flags: '--fingerprint <sha256>',
    type: 'text',
    env: 'AGENTHOST_FINGERPRINT',
    description: "SHA-256 of the host's certificate, for https and wss; any other is refused",
    defaultText: 'the one that this host had before',
  },
  start: { flags: '--start', type: 'flag', description: 'start a host in the background when none runs' },
  port: {
    flags: '--port <port>',
    type: 'number',
    env: 'AGENTHOST_PORT',
    description: 'port to listen on; 0 picks a free one',
    default: 4711,
    min: 0,
    max: 65_535,
    isInteger: true,
  },
  host: {
    flags: '--host <address>',
    type: 'text',
    description:
      'address to listen on; any other than loopback lets other machines in, and needs --tls or --tls-cert',
    default: '127.0.0.1',
  },
  tls: {
    flags: '--tls',
    type: 'flag',
    description: "listen by TLS with a certificate of the host's own, kept in its data folder",
  },
  tlsCert: {
    flags: '--tls-cert <file>',
    type: 'text',
    description:
      'listen by TLS with the certificate in this file (PEM, with those behind it); read anew when it changes',
  },
  tlsKey: {
    flags: '--tls-key <file>',
    type: 'text',
    description: 'its private key (PEM, without a passphrase)',
  },
  insecureListen: {
    flags: '--insecure-listen',
    type: 'flag',
    description: 'let other machines in without TLS: only behind a proxy that encrypts',
  },
  data: {
    flags: '--data <folder>',
    type: 'text',
    description: 'folder of database, log, token and certificate',
    defaultText: "agenthost in the user's data folder",
  },
  config: {
    flags: '--config <file>',
    type: 'text',
    description: 'config file',
    defaultText: "agenthost.json in the user's config folder",
  },
  root: {
    flags: '--root <folder>',
    type: 'list',
    description: "folder that sessions may work in without an admin's token; repeatable",
    defaultText: "the config's, else the home folder",
  },
  tokenFile: {
    flags: '--token-file <file>',
    type: 'text',
    description: 'file with the access token; AGENTHOST_TOKEN goes before it',
    defaultText: 'owner-token in the data folder, made on first use',
  },
  set: {
    flags: '--set <key=value>',
    type: 'list',
    description: "fix a setting of the host's config, which clients cannot change then; repeatable",
  },
  meta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'only sessions with this metadata; repeatable, all have to fit',
  },
  giveMeta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'metadata of the session, to find it by; repeatable',
  },
  changeMeta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'metadata to add to what is there; without a value, the key is taken out; repeatable',
  },
  model: {
    flags: '--model <id>',
    type: 'text',
    description: 'model to ask; the command `agents` lists those of each agent',
    defaultText: 'the one that the session uses',
  },
  sessionConfig: {
    flags: '--config <key=value>',
    type: 'list',
    description: 'setting of the session or its agent; repeatable',
  },
  attach: {
    flags: '--attach <file[:line[-line]]>',
    type: 'list',
    description: 'file, image or lines of a file that go with the prompt; repeatable',
  },
  instructions: {
    flags: '--instructions <text>',
    type: 'text',
    description: 'what the agent is told before the conversation; @file reads it from a file',
  },
  search: {
    flags: '--search <query>',
    type: 'text',
    description:
      'find words in titles, messages and answers: all of them, "phrases" as they stand, the last word as a beginning; 20 places unless --limit says otherwise',
  },
  archived: { flags: '--archived', type: 'flag', description: 'archived ones too' },
  agent: {
    flags: '--agent <id>',
    type: 'text',
    description: 'agent to ask; the command `agents` lists them',
    defaultText: "the host's default",
  },
  session: {
    flags: '--session <session>',
    type: 'text',
    description: 'go on in this session: id, or the beginning of one',
    defaultText: 'a new one',
  },
  chat: {
    flags: '--chat <chat>',
    type: 'text',
    description: 'chat of the session: id, or the beginning of one',
    defaultText: "the session's default chat",
  },
  newChat: { flags: '--new-chat', type: 'flag', description: 'ask in another, new chat of the session' },
  waitInQueue: {
    flags: '--queue',
    type: 'flag',
    description: 'when a turn runs there: queue the message and wait for its turn, instead of an error',
  },
  yes: { flags: '-y, --yes', type: 'flag', description: 'ask nothing' },
  cwd: {
    flags: '--cwd <folder>',
    type: 'text',
    description: 'folder to work in',
    defaultText: 'the current folder',
  },
  approve: {
    flags: '--approve <mode>',
    type: 'choice',
    choices: ['ask', 'all', 'none'],
    default: 'ask',
    description:
      'what to do when the agent needs a yes: ask here (or wait for another client when this is no terminal), say yes once each time, or say no',
  },
  timeout: {
    flags: '--timeout <seconds>',
    type: 'number',
    unit: 's',
    description: 'cancel when it takes longer',
    defaultText: 'no limit',
    min: 0.001,
    max: 2_000_000,
    isInteger: false,
  },
  format: {
    flags: '--format <format>',
    type: 'choice',
    choices: ['json', 'markdown', 'html'],
    default: 'json',
    description: 'what to write: all there is, or pages to read',
  },
  output: {
    flags: '-o, --output <file>',
    type: 'text',
    description: 'file to write, as a whole or not at all; - or nothing is stdout',
  },
  force: { flags: '--force', type: 'flag', description: 'replace a file that is there' },
  newSession: {
    flags: '--session <uri>',
    type: 'text',
    description: 'URI of the new session, if not a fresh one',
  },
  importCwd: {
    flags: '--cwd <folder>',
    type: 'text',
    description: 'folder to work in',
    defaultText: 'that of the export',
  },
  importAgent: {
    flags: '--agent <id>',
    type: 'text',
    description: 'agent of the new session; the command `agents` lists them',
    defaultText: 'that of the export',
  },
  provider: {
    flags: '--provider <id>',
    type: 'text',
    description: 'the same as --agent',
    isHidden: true,
  },
  at: {
    flags: '--at <turn>',
    type: 'text',
    description: 'id of the last turn to take over',
    defaultText: 'the last one that has ended',
  },
  limit: {
    flags: '--limit <count>',
    type: 'number',
    description: 'list that many at most',
    defaultText: 'all',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    isInteger: true,
  },
  scope: {
    flags: '--scope <scope>',
    type: 'choice',
    choices: ['observe', 'interact', 'admin'],
    default: 'observe',
    description:
      'what its bearer may do: observe looks at everything, interact also works in sessions and terminals (as much as a shell here), admin everything',
  },
  tokenName: {
    flags: '--name <name>',
    type: 'text',
    description: 'what to call it, to know and revoke it by',
  },
  expires: {
    flags: '--expires <time>',
    type: 'text',
    description: 'when it ends: 90m, 12h, 30d, 2w',
    defaultText: 'when it is revoked',
  },
  noKeeper: {
    flags: '--no-keeper',
    type: 'flag',
    description: 'hold terminals in this process: they end with it',
  },
  turns: {
    flags: '--turns <count>',
    type: 'number',
    description: 'turns of the past to show first',
    default: 5,
    min: 0,
    max: 1_000,
    isInteger: true,
  },
  ...TERM_OPTIONS,
} as const satisfies Record<string, OptionSpec>;

/** Name of an option as commands get it. */
export type OptionName = keyof typeof OPTIONS;

/** An option for the parser. A variable of `env` that is empty counts as absent. */
export const optionOf = (name: OptionName, env: Readonly<Record<string, string | undefined>>): Option =>
  toOption(OPTIONS[name], env);
