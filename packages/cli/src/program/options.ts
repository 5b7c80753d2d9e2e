import type { Option } from 'commander';
import { AUTOMATION_OPTIONS } from './automation-options.ts';
import { CHANGES_OPTIONS } from './changes-options.ts';
import { DAEMON_OPTIONS } from './daemon-options.ts';
import { GATEWAY_OPTIONS } from './gateway-options.ts';
import { HOSTS_OPTIONS } from './hosts-options.ts';
import { type OptionSpec, toOption } from './option-spec.ts';
import { TELEMETRY_OPTIONS } from './telemetry-options.ts';
import { TERM_OPTIONS } from './term-options.ts';

/** Every option of every command. */
export const OPTIONS = {
  json: { flags: '--json', type: 'flag', description: 'print one JSON object per line and nothing else' },
  for: {
    flags: '--for <where>',
    type: 'choice',
    choices: ['session', 'workspace', 'everywhere'],
    default: 'session',
    description: 'where the decision holds: in the session, in all sessions of its folder, or everywhere',
  },
  verbose: { flags: '--verbose', type: 'flag', description: 'show the causes of errors' },
  url: {
    flags: '--url <url>',
    type: 'text',
    env: 'AGENTHOST_URL',
    description:
      "address of the host, http(s), ws(s) or ssh://user@server; the token is AGENTHOST_TOKEN if set, otherwise the owner's token",
    defaultText: 'the host that runs on this machine',
  },
  fingerprint: {
    flags: '--fingerprint <sha256>',
    type: 'text',
    env: 'AGENTHOST_FINGERPRINT',
    description: "SHA-256 of the host's certificate, for https and wss; other certificates are refused",
    defaultText: 'the certificate of the first connection',
  },
  record: {
    flags: '--record <file>',
    type: 'text',
    description:
      'write all frames of the protocol to this file, one JSON object per line, without secrets; an earlier file is kept as FILE.1',
  },
  client: {
    flags: '--client',
    type: 'flag',
    description:
      'start a host on --port, and check the client that connects until it leaves; its connection is dropped once',
  },
  hostToken: {
    flags: '--token <token>',
    type: 'text',
    description: 'access token of the host',
    defaultText: "AGENTHOST_TOKEN if set, otherwise the owner's token of a host on this machine",
  },
  ahpVersion: {
    flags: '--version <version>',
    type: 'list',
    description: 'version of the protocol to play; repeatable',
    defaultText: 'every version that the host agrees to',
  },
  dir: {
    flags: '--dir <folder>',
    type: 'text',
    description: "folder on the host's machine for sessions and files",
    defaultText: 'a temporary folder',
  },
  only: {
    flags: '--only <text>',
    type: 'text',
    description: 'only checks of this rule, such as CHAT-12, or with this text in their title',
  },
  patience: {
    flags: '--patience <seconds>',
    type: 'number',
    description: 'longest wait for each expected frame',
    unit: 's',
    default: 10,
    min: 0.1,
    max: 3_600,
    isInteger: false,
  },
  schemas: {
    flags: '--schemas <folder>',
    type: 'text',
    description: 'folder with <version>/schema.json, to check the frames of versions before 1.0',
  },
  junit: { flags: '--junit <file>', type: 'text', description: 'write the report as JUnit XML' },
  report: {
    flags: '--report <folder>',
    type: 'text',
    description: 'write a badge and a summary for others: badge.svg and summary.json in this folder',
  },
  checkFormat: {
    flags: '--check',
    type: 'flag',
    description: 'check only the format of the file, and list errors',
  },
  har: {
    flags: '--har <file>',
    type: 'text',
    description: 'write the recording as an HTTP Archive, which the developer tools of browsers show',
  },
  replayTo: {
    flags: '--to <host>',
    type: 'text',
    description:
      "send the client's frames to the host with this address, or with this name of `hosts list`, with fresh ids, and compare the answers",
  },
  speed: {
    flags: '--speed <factor>',
    type: 'number',
    description: 'with --to: 1 is as fast as recorded, 2 twice as fast; 0 waits only for answers',
    default: 1,
    min: 0,
    max: 1_000_000,
    isInteger: false,
  },
  start: { flags: '--start', type: 'flag', description: 'start a host in the background if none is running' },
  port: {
    flags: '--port <port>',
    type: 'number',
    env: 'AGENTHOST_PORT',
    description: 'port to listen on; 0 picks a free port',
    default: 4711,
    min: 0,
    max: 65_535,
    isInteger: true,
  },
  host: {
    flags: '--host <address>',
    type: 'text',
    description:
      'address to listen on; an address other than loopback admits other machines and requires --tls, --tls-cert or --insecure-listen',
    default: '127.0.0.1',
  },
  tls: {
    flags: '--tls',
    type: 'flag',
    description: 'listen with TLS, with a self-signed certificate in the data folder',
  },
  tlsCert: {
    flags: '--tls-cert <file>',
    type: 'text',
    description:
      'listen with TLS, with the certificate chain in this file (PEM); it is reloaded when it changes',
  },
  tlsKey: {
    flags: '--tls-key <file>',
    type: 'text',
    description: 'private key of the certificate (PEM, without a passphrase)',
  },
  insecureListen: {
    flags: '--insecure-listen',
    type: 'flag',
    description: 'admit other machines without TLS: only behind a proxy that encrypts',
  },
  basePath: {
    flags: '--base-path <path>',
    type: 'text',
    description: 'path in front of all paths, such as /agents, for a proxy that passes on only this path',
    defaultText: 'none',
  },
  oidcIssuer: {
    flags: '--oidc-issuer <url>',
    type: 'text',
    description:
      'OpenID Connect provider for sign-ins on the page; rules in the config file set the rights of people; AGENTHOST_OIDC_CLIENT_SECRET has the secret of a confidential client',
    defaultText: 'none',
  },
  oidcClientId: {
    flags: '--oidc-client-id <id>',
    type: 'text',
    description: 'id of this host as a client of the provider',
  },
  trustProxy: {
    flags: '--trust-proxy',
    type: 'flag',
    description:
      'accept the X-Forwarded headers of a proxy on this machine, and of the trustedProxies of the config file',
  },
  previewPort: {
    flags: '--preview-port <port>',
    type: 'text',
    description:
      'port for previews of programs in sessions; off for none; beyond loopback without --preview-host each preview has a port of its own, of a range such as 4720-4739',
    defaultText: 'a free port on loopback, otherwise none',
  },
  previewHost: {
    flags: '--preview-host <pattern>',
    type: 'text',
    description:
      'host names of previews, such as *.preview.example.org, or https://*.preview.example.org behind a proxy',
    defaultText: '*.localhost on loopback',
  },
  data: {
    flags: '--data <folder>',
    type: 'text',
    description: 'folder for the database, the log, the token and the certificate',
    defaultText: "agenthost in the user's data folder",
  },
  journal: {
    flags: '--journal <url>',
    type: 'text',
    env: 'AGENTHOST_JOURNAL',
    description:
      'keep sessions in PostgreSQL, at a URL such as postgres://user@server/database?cell=name, instead of a file in the data folder; AGENTHOST_JOURNAL_PASSWORD has the password',
    defaultText: 'journal of the config file, else a file in the data folder',
  },
  standby: {
    flags: '--standby',
    type: 'flag',
    description: 'with --journal: wait while another host holds the cell, and take over when that one ends',
  },
  announce: {
    flags: '--announce <url>',
    type: 'text',
    description: 'with --journal: address at which gateways reach this host, such as https://machine1:4711',
    defaultText: 'the address that it listens on, with the name of the machine for all addresses',
  },
  label: {
    flags: '--label <text>',
    type: 'list',
    description:
      'with --journal: label by which gateways choose hosts for new sessions, such as gpu; repeatable',
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
    description: "folder that sessions may use without an admin's token; repeatable",
    defaultText: 'roots of the config file, else the home folder',
  },
  tokenFile: {
    flags: '--token-file <file>',
    type: 'text',
    description: "file with the owner's token; AGENTHOST_TOKEN takes precedence",
    defaultText: 'owner-token in the data folder, created on first use',
  },
  set: {
    flags: '--set <key=value>',
    type: 'list',
    description: 'fix a setting of the host, so that clients cannot change it; repeatable',
  },
  meta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'only sessions with this metadata; repeatable, all must match',
  },
  giveMeta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'metadata of the session, for `sessions --meta`; repeatable',
  },
  changeMeta: {
    flags: '--meta <key=value>',
    type: 'list',
    description: 'metadata to add; an empty value removes the key; repeatable',
  },
  model: {
    flags: '--model <id>',
    type: 'text',
    description: 'model to use; the command `agents` lists the models of each agent',
    defaultText: "the session's model",
  },
  sessionConfig: {
    flags: '--config <key=value>',
    type: 'list',
    description: 'setting of the session or its agent; repeatable',
  },
  moreDirs: {
    flags: '--dir <folder>',
    type: 'list',
    description: 'further working directory, if the agent takes more than one; repeatable',
  },
  attach: {
    flags: '--attach <file[:line[-line]]>',
    type: 'list',
    description: 'file, image, lines of a file or URI of a chat to attach; repeatable',
  },
  instructions: {
    flags: '--instructions <text>',
    type: 'text',
    description: 'instructions to the agent before the conversation; @file reads them from a file',
  },
  search: {
    flags: '--search <query>',
    type: 'text',
    description:
      'find words in titles, messages and answers: all words must match, "phrases" exactly, the last word as a prefix; at most 20 matches unless --limit is given',
  },
  archived: { flags: '--archived', type: 'flag', description: 'include archived sessions' },
  agent: {
    flags: '--agent <id>',
    type: 'text',
    description: 'agent to use; the command `agents` lists the agents',
    defaultText: "the host's default",
  },
  session: {
    flags: '--session <session>',
    type: 'text',
    description: 'continue this session: id, or the beginning of an id',
    defaultText: 'a new session',
  },
  continueHere: {
    flags: '-c, --continue',
    type: 'flag',
    description: 'continue the newest session of this folder, or of --cwd',
  },
  chat: {
    flags: '--chat <chat>',
    type: 'text',
    description: 'chat of the session: id, or the beginning of an id',
    defaultText: "the session's default chat",
  },
  toSession: {
    flags: '--to <session>',
    type: 'text',
    description: 'session to move the chat to: id, or the beginning of an id',
    defaultText: 'its own session',
  },
  ownSession: { flags: '--new-session', type: 'flag', description: 'move the chat to a session of its own' },
  afterChat: {
    flags: '--after <chat>',
    type: 'text',
    description: 'chat after which to place it: id, or the beginning of an id',
    defaultText: 'the front of the list',
  },
  openOnly: { flags: '--open', type: 'flag', description: 'only comments that are not resolved' },
  withText: {
    flags: '--text <text>',
    type: 'text',
    description: 'the message that is sent with the comments',
    defaultText: 'a request to address them',
  },
  newChat: { flags: '--new-chat', type: 'flag', description: 'ask in a new chat of the session' },
  waitInQueue: {
    flags: '--queue',
    type: 'flag',
    description:
      'if a turn is running, queue the message and wait for its turn; without --queue that is an error',
  },
  discard: { flags: '--discard', type: 'flag', description: 'delete uncommitted files too' },
  base: {
    flags: '--base <name>',
    type: 'text',
    description: 'branch or commit to start from',
    defaultText: 'the branch of the session',
  },
  yes: { flags: '-y, --yes', type: 'flag', description: 'do not ask for confirmation' },
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
      'how to answer approval requests: ask here (without a terminal, wait for another client), approve each one once, or deny them',
  },
  timeout: {
    flags: '--timeout <seconds>',
    type: 'number',
    unit: 's',
    description: 'cancel after this time',
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
    description: 'output format: json holds everything, markdown and html are pages to read',
  },
  output: {
    flags: '-o, --output <file>',
    type: 'text',
    description: 'file to write atomically; - or no file means stdout',
  },
  force: { flags: '--force', type: 'flag', description: 'replace an existing file' },
  newSession: {
    flags: '--session <uri>',
    type: 'text',
    description: 'URI of the new session, in place of a random one',
  },
  importCwd: {
    flags: '--cwd <folder>',
    type: 'text',
    description: 'folder to work in',
    defaultText: "the export's",
  },
  importAgent: {
    flags: '--agent <id>',
    type: 'text',
    description: 'agent of the new session; the command `agents` lists the agents',
    defaultText: "the export's",
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
    description: 'id of the last turn to copy',
    defaultText: 'the last turn that has ended',
  },
  limit: {
    flags: '--limit <count>',
    type: 'number',
    description: 'maximum number of sessions to list',
    defaultText: 'all',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    isInteger: true,
  },
  scope: {
    flags: '--scope <scope>',
    type: 'choice',
    choices: ['none', 'observe', 'interact', 'admin'],
    default: 'observe',
    description:
      'rights of the token: none (only the sessions that are shared with its person), observe (read everything), interact (also work in sessions and terminals, which equals a shell on the host), admin (everything)',
  },
  tokenName: {
    flags: '--name <name>',
    type: 'text',
    description: 'name of the token, to recognise and revoke it',
  },
  person: {
    flags: '--person <name>',
    type: 'text',
    description: 'person that the token belongs to; the name is shown with what the person does',
    defaultText: 'none',
  },
  sharedWith: {
    flags: '--person <name>',
    type: 'text',
    description: 'person, as named by `agenthost token create --person`',
  },
  role: {
    flags: '--role <role>',
    type: 'choice',
    choices: ['observe', 'interact', 'admin'],
    default: 'observe',
    description:
      'rights in the session: observe (read), interact (also prompt, approve, commit and push), admin (also share, dispose of it, and choose approvals=all)',
  },
  expires: {
    flags: '--expires <time>',
    type: 'text',
    description: 'lifetime of the token: 90m, 12h, 30d, 2w',
    defaultText: 'until it is revoked',
  },
  noKeeper: {
    flags: '--no-keeper',
    type: 'flag',
    description: 'run terminals in this process: they end with it',
  },
  turns: {
    flags: '--turns <count>',
    type: 'number',
    description: 'earlier turns to show first',
    default: 5,
    min: 0,
    max: 1_000,
    isInteger: true,
  },
  ...AUTOMATION_OPTIONS,
  ...CHANGES_OPTIONS,
  ...DAEMON_OPTIONS,
  ...HOSTS_OPTIONS,
  ...GATEWAY_OPTIONS,
  ...TERM_OPTIONS,
  ...TELEMETRY_OPTIONS,
} as const satisfies Record<string, OptionSpec>;

/** Name of an option as commands get it. */
export type OptionName = keyof typeof OPTIONS;

/** An option for the parser. A variable of `env` that is empty counts as absent. */
export const optionOf = (name: OptionName, env: Readonly<Record<string, string | undefined>>): Option =>
  toOption(OPTIONS[name], env);
