import { fileURLToPath } from 'node:url';
import {
  type FolderRefusal,
  type LimitRefusal,
  type RefusalDetails,
  readRefusal,
  type ScopeRefusal,
  sizeProblem,
  type TokenScope,
} from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import { commandLine } from '../process/own-command.ts';
import { plain } from '../render/plain-text.ts';

/** Activities of a user, by the method or action that they become. */
const DEEDS: Readonly<Record<string, string>> = {
  createSession: 'starting a session',
  disposeSession: 'removing a session',
  createChat: 'making a chat',
  disposeChat: 'removing a chat',
  completions: 'completing a text',
  resolveSessionConfig: 'starting a session',
  createTerminal: 'opening a terminal',
  disposeTerminal: 'ending a terminal',
  createResourceWatch: 'watching files',
  'x-signalTerminal': 'signalling a terminal',
  'x-openPreview': 'opening a port',
  'x-revokeApproval': 'revoking an approval',
  'x-listMcpServers': 'listing MCP servers',
  'x-decideMcpServer': 'deciding about an MCP server',
  'x-startMcpSignIn': 'signing in to an MCP server',
  'x-finishMcpSignIn': 'signing in to an MCP server',
  'x-listGrants': 'listing access to files',
  'x-answerGrant': 'answering a request for access',
  'x-revokeGrant': 'revoking access to files',
  'x-listWorktrees': 'listing worktrees',
  'x-createWorktree': 'making a worktree',
  'x-mergeWorktree': 'merging a worktree',
  'x-openWorktree': 'opening the branch of a worktree',
  'x-removeWorktree': 'removing a worktree',
  'x-importSession': 'importing a session',
  'x-setAgentKey': 'storing the key of an agent',
  'x-beginSignIn': 'signing in',
  'x-finishSignIn': 'signing in',
  'x-backup': 'making a backup',
  'x-checkHost': 'checking the host',
  'x-createToken': 'making a token',
  'x-listTokens': 'listing tokens',
  'x-revokeToken': 'revoking a token',
  'x-setSessionRole': 'sharing a session',
  'x-listSessionRoles': 'listing shared sessions',
  'root/configChanged': 'changing settings of the host',
  'session/titleChanged': 'renaming a session',
  'session/isReadChanged': 'marking a session as read',
  'session/isArchivedChanged': 'archiving or unarchiving a session',
  'session/configChanged': 'changing settings of a session',
  moveChat: 'moving a chat',
  'chat/isReadChanged': 'marking a chat as read',
  'chat/isArchivedChanged': 'archiving or unarchiving a chat',
  'chat/turnStarted': 'sending a message',
  'chat/turnCancelled': 'stopping a turn',
  'chat/truncated': 'forgetting turns',
  'chat/toolCallConfirmed': 'answering a tool call',
  'chat/toolCallResultConfirmed': 'answering a tool call',
  'chat/pendingMessageSet': 'queueing a message or steering a turn',
  'chat/pendingMessageRemoved': 'taking a message back',
  'chat/queuedMessagesReordered': 'reordering messages',
  'chat/inputAnswerChanged': 'answering a question',
  'chat/inputCompleted': 'answering a question',
  'automation/createRequested': 'saving an automation',
  'automation/updateRequested': 'changing an automation',
  'automation/removed': 'removing an automation',
  runAutomation: 'starting a run',
  'automationRun/cancelRequested': 'cancelling a run',
  invokeChangesetOperation: 'changing files or git',
  'changeset/filesReviewChanged': 'marking files as reviewed',
  'annotations/set': 'commenting on a file',
  'annotations/updated': 'changing a comment',
  'annotations/removed': 'removing a comment',
  'annotations/entrySet': 'answering a comment',
  'annotations/entryRemoved': 'removing an answer to a comment',
  'terminal/input': 'typing into a terminal',
  'terminal/claimed': 'claiming a terminal',
  'terminal/titleChanged': 'renaming a terminal',
};

/** The options that parameters come from. */
const OPTIONS_OF: Readonly<Record<string, string>> = {
  config: '--config',
  'config.instructions': '--instructions',
  'config.metadata': '--meta',
  'config.isolation': '--config isolation',
  'config.base': '--config base',
  cwd: '--cwd',
  workingDirectory: '--cwd',
  workingDirectories: '--cwd',
  name: '--name',
  person: '--person',
  lifetimeSeconds: '--expires, in seconds',
  target: '--lines',
  'x-input.name': 'the name',
  'x-input.message': '--message',
  query: '--search',
  limit: '--limit',
  channel: '--session',
  'x-env': '--env',
  'x-command': 'the command',
};

/** A rejected or dropped action, as the client library reports it. */
interface Rejected {
  /** Absent: the action was dropped. */
  readonly code?: string;
  readonly reason: string;
  readonly details?: RefusalDetails;
}

/**
 * An error as a sentence for a person. It is built from the data that the host sent; without data that this version knows, it is the
 * message of the error.
 */
export function errorSentence(error: unknown): string {
  return sentenceOf(detailsOf(error)) ?? withPaths(errorText(error));
}

/** Codes of rejections of an answer that comes after another one, and whose reasons name states of the protocol [CHAT-8] [CHAT-13]. */
const LATE_CODES: ReadonlySet<string> = new Set(['wrongState', 'unknownRequest']);

/** The same for an action that the host did not take. */
export function rejectionSentence({ code, reason, details }: Rejected): string {
  if (code !== undefined && LATE_CODES.has(code)) return 'it was answered or ended already';
  return sentenceOf(details) ?? withPaths(reason);
}

/**
 * The data that came with an error answer, a rejected action or a refused connection. The classes of these errors are not imported:
 * that would load the whole client with every command.
 */
export function detailsOf(error: unknown): RefusalDetails | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('details' in error) return readRefusal(error.details);
  if (!('data' in error) || typeof error.data !== 'object' || error.data === null) return undefined;
  return 'x-refusal' in error.data ? readRefusal(error.data['x-refusal']) : undefined;
}

function sentenceOf(details: RefusalDetails | undefined): string | undefined {
  switch (details?.kind) {
    case 'scope':
      return scopeSentence(details);
    case 'limit':
      return limitSentence(details);
    case 'size':
      return `${optionOf(details.field.replace(/^(?:action|params)\./, ''))}: ${sizeProblem(details)}`;
    case 'parameter':
      return `${optionOf(details.parameter)}: ${withPaths(details.problem)}`;
    case 'folder':
      return folderSentence(details);
    default:
      return undefined;
  }
}

function scopeSentence({ needed, held, asked, setting }: ScopeRefusal): string {
  const what = setting === 'approvals' ? 'letting everything run unasked (`approvals: all`)' : DEEDS[asked];
  return requiresScope(what ?? 'that', needed, held);
}

/** The sentence for an activity that the token does not allow. */
export function requiresScope(what: string, needed: TokenScope, held: TokenScope): string {
  const lack =
    held === 'none'
      ? ' for the whole host, and this one has only roles in sessions'
      : `, and this one has scope ${held}`;
  return (
    `${what} requires a token of scope ${needed}${lack}; ` +
    `create one on the host's machine with \`${commandLine(`token create --scope ${needed}`)}\``
  );
}

function limitSentence({ of, max }: LimitRefusal): string | undefined {
  if (of === 'chats') return `the session has ${max} chats, the maximum: remove one first`;
  if (of !== 'terminals') return undefined;
  const [list, kill] = [commandLine('term list'), commandLine('term kill')];
  return `the host has ${max} terminals, the maximum: \`${list}\` lists them, \`${kill}\` ends one`;
}

function folderSentence({ uri, reason, roots = [] }: FolderRefusal): string {
  const path = pathOf(uri);
  switch (reason) {
    case 'missing':
      return `the folder ${path} does not exist on the host`;
    case 'private':
      return `the folder ${path} belongs to the host itself: choose another one`;
    case 'outside':
      return roots.length === 0
        ? `the folder ${path} is closed: the host offers folders only to tokens of scope admin`
        : `the folder ${path} is not among those that the host offers: choose one within ${roots.join(', ')}`;
    default:
      return reason satisfies never;
  }
}

/** The option that a parameter comes from, or the parameter itself. */
function optionOf(parameter: string): string {
  const [name = '', key] = parameter.split('.');
  const whole = OPTIONS_OF[key === undefined ? name : `${name}.${key}`];
  const option = OPTIONS_OF[name];
  if (whole !== undefined) return whole;
  return option === undefined || key === undefined ? (option ?? parameter) : `${option} ${key}`;
}

/** A text with paths in place of `file:` URIs. */
const withPaths = (text: string): string => text.replace(/file:\/\/\/[^\s"]*[^\s":;,.)]/g, pathOf);

function pathOf(uri: string): string {
  try {
    const path = fileURLToPath(uri);
    // A line break in a name would begin a line that looks like the program's own: encoded, it is seen for what it is.
    return plain(path) === path && !path.includes('\n') ? path : uri;
  } catch {
    // Not a path of this machine: the URI stays as the host sent it.
    return uri;
  }
}

/** The numeric code of an error that the host answered; `undefined` for any other error. */
export function wireCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'RpcError' || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
