import { fileURLToPath } from 'node:url';
import { commandLine } from '../process/own-command.ts';
import { plain } from '../render/plain-text.ts';

/** What people do, by the method or action that it becomes. */
const DEEDS: Readonly<Record<string, string>> = {
  '`approvals: all`': 'letting everything run unasked (`approvals: all`)',
  createSession: 'starting a session',
  disposeSession: 'removing a session',
  createChat: 'making a chat',
  disposeChat: 'removing a chat',
  completions: 'asking for proposals',
  resolveSessionConfig: 'starting a session',
  createTerminal: 'opening a terminal',
  disposeTerminal: 'ending a terminal',
  'x-signalTerminal': 'signalling a terminal',
  'x-revokeApproval': 'revoking an approval',
  'x-importSession': 'importing a session',
  'x-createToken': 'making a token',
  'x-listTokens': 'listing tokens',
  'x-revokeToken': 'revoking a token',
  'root/configChanged': 'changing settings of the host',
  'session/titleChanged': 'renaming a session',
  'session/isReadChanged': 'marking a session as read',
  'session/isArchivedChanged': 'archiving a session, or taking it out again,',
  'session/configChanged': 'changing settings of a session',
  'chat/turnStarted': 'sending a message',
  'chat/turnCancelled': 'stopping a turn',
  'chat/truncated': 'forgetting turns',
  'chat/toolCallConfirmed': 'answering a tool call',
  'chat/toolCallResultConfirmed': 'answering a tool call',
  'chat/pendingMessageSet': 'queueing a message or steering',
  'chat/pendingMessageRemoved': 'taking a message back',
  'chat/queuedMessagesReordered': 'putting messages in another order',
  'chat/inputAnswerChanged': 'answering a question',
  'chat/inputCompleted': 'answering a question',
  'terminal/input': 'typing into a terminal',
  'terminal/claimed': 'claiming a terminal',
  'terminal/titleChanged': 'renaming a terminal',
};

/** Where a parameter comes from on the command line. */
const OPTIONS_OF: Readonly<Record<string, string>> = {
  config: '--config',
  'config.instructions': '--instructions',
  'config.metadata': '--meta',
  cwd: '--cwd',
  workingDirectory: '--cwd',
  name: '--name',
  lifetimeSeconds: '--expires, in seconds',
  query: '--search',
  limit: '--limit',
  channel: '--session',
  'x-env': '--env',
  'x-command': 'the command',
};

/** An error of the host as a person at the command line reads it: what they did and which option it was about, in place of names of the protocol; paths in place of URIs. */
export function hostWords(message: string): string {
  return message
    .replace(
      /(?:permissionDenied: )?(`approvals: all`|[\w/-]+) takes a token of scope (\w+); this one has \w+, and (may [^;]*)/,
      (_, what: string, scope: string, may: string) =>
        `${DEEDS[what] ?? 'that'} takes a token of scope ${scope}; this one ${may.replace('may only look', 'may only observe')}; ` +
        `\`${commandLine(`token create --scope ${scope}`)}\` on the host's machine makes one`,
    )
    .replace(
      /(?<= terminals, the most it takes: )dispose of one first/,
      () => `\`${commandLine('term list')}\` lists them, \`${commandLine('term kill')}\` ends one`,
    )
    .replace(/\bparams\.([\w-]+)(?:\.([\w-]+))?(?=:)/g, (_, name: string, key?: string) => {
      const whole = key === undefined ? name : `${name}.${key}`;
      if (OPTIONS_OF[whole] !== undefined) return OPTIONS_OF[whole];
      const option = OPTIONS_OF[name];
      return option === undefined || key === undefined ? whole : `${option} ${key}`;
    })
    .replace(/file:\/\/\/[^\s"]*[^\s":;,.)]/g, pathOf);
}

function pathOf(uri: string): string {
  try {
    const path = fileURLToPath(uri);
    // A line break in a name would begin a line that looks like the program's own: encoded, it is seen for what it is.
    return plain(path) === path && !path.includes('\n') ? path : uri;
  } catch {
    // No path of this machine: it stays as it was said.
    return uri;
  }
}

/** The numeric code of an error that the host answered; `undefined` for any other error. */
export function wireCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'RpcError' || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
