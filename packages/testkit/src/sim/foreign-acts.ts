import type { ChatInputRequest, ChatState, VersionLine } from '@agenthost/protocol';
import { approved, denied, resultJudged, userMessage } from '../builders.ts';
import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
import { answerChanged, completed } from '../deeds/answers.ts';
import { goOnWithTool, someTools } from '../deeds/client-tools.ts';
import { someFolder } from '../deeds/directories.ts';
import { type At, type Doc, doc, docs, since } from '../oracle/doc.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { ForeignClient } from './foreign-client.ts';
import { TERMINALS } from './terminals.ts';
import type { Trace } from './trace.ts';

/** Lets a client of another implementation dispatch an action of its version, sometimes an invalid one. */
export function actAbroad(client: ForeignClient, random: SeededRandom, trace: Trace): void {
  if (!client.isOnline) return;
  const [channel, action] = deed(client, random);
  if (action === undefined) return;
  trace.note(client.name, `does on ${channel}: ${JSON.stringify(action)}`);
  client.dispatch(channel, action);
}

/** Weights of the deeds. */
const DEEDS = {
  turn: 4,
  cancel: 1,
  resume: 2,
  queue: 2,
  draft: 2,
  title: 2,
  truncate: 0.5,
  flag: 1.5,
  chatFlag: 1,
  directory: 2,
  chatDirectory: 1,
  answer: 3,
  close: 3,
  confirm: 5,
  judge: 2,
  join: 1.5,
  tool: 4,
  terminal: 2,
  nowhere: 1,
  wrong: 1,
} as const;

/** The first version of deeds that not every version has. A client of 0.9 may use chat flags although its version does not have them. */
const FIRST: Readonly<Partial<Record<keyof typeof DEEDS, VersionLine>>> = {
  resume: '0.9.0',
  chatFlag: '0.9.0',
  directory: '0.7.0',
  chatDirectory: '0.7.0',
  draft: '0.5.0',
};

/** A channel, and an action of the client's version; without an action if there is nothing to act on. */
function deed(client: ForeignClient, random: SeededRandom): [channel: string, action?: Doc | undefined] {
  const { version, now, name } = client;
  const at: At = { version, now };
  const chat = client.states.get(SECOND_CHAT)?.state ?? {};
  const session = client.states.get(SESSION)?.state ?? {};
  const what = random.weighted(DEEDS);
  if (!since(at, FIRST[what] ?? '0.4.0')) return [SECOND_CHAT];
  switch (what) {
    case 'turn': {
      const turnId = `turn-${random.hex(8)}`;
      const times = since(at, '0.6.0') ? { startedAt: new Date(now).toISOString() } : {};
      return [SECOND_CHAT, { type: 'chat/turnStarted', turnId, ...times, message: messageOf(turnId) }];
    }
    case 'cancel': {
      const turn = doc(chat['activeTurn']);
      const times = since(at, '0.6.0') ? { duration: random.int(5_000) } : {};
      return [SECOND_CHAT, { type: 'chat/turnCancelled', turnId: turn['id'] ?? 'none', ...times }];
    }
    case 'resume':
      return [SECOND_CHAT, { type: 'chat/turnResume', turnId: docs(chat['turns']).at(-1)?.['id'] ?? 'none' }];
    case 'queue': {
      const id = `queued-${random.hex(4)}`;
      return [SECOND_CHAT, { type: 'chat/pendingMessageSet', kind: 'queued', id, message: messageOf(id) }];
    }
    case 'draft':
      return [SECOND_CHAT, { type: 'chat/draftChanged', draft: messageOf(random.hex(5)) }];
    case 'title':
      return [SESSION, { type: 'session/titleChanged', title: random.hex(6) }];
    case 'truncate': {
      const turnId = docs(chat['turns']).at(-2)?.['id'] ?? 'none';
      return [SECOND_CHAT, { type: 'chat/truncated', turnId }];
    }
    case 'flag':
      return [SESSION, flag(random, 'session')];
    case 'chatFlag':
      return [SECOND_CHAT, flag(random, 'chat')];
    case 'directory':
      return [SESSION, directory(at, random, session)];
    case 'chatDirectory':
      return [SECOND_CHAT, { type: 'chat/workingDirectorySet', directory: someFolder(random) }];
    case 'answer':
      return [SECOND_CHAT, plain(answerChanged(random, requestsOf(chat)))];
    case 'close':
      return [SECOND_CHAT, plain(completed(random, requestsOf(chat)))];
    case 'confirm':
      return [SECOND_CHAT, confirm(random, chat)];
    case 'judge': {
      const { turnId, toolCallId } = callIn(chat, 'pending-result-confirmation');
      return [SECOND_CHAT, plain(toolCallId && resultJudged(turnId, toolCallId, random.chance(0.7)))];
    }
    case 'join':
      return [SESSION, joining(at, random, name)];
    case 'tool':
      return [
        SECOND_CHAT,
        chat['turns'] === undefined ? undefined : plain(goOnWithTool(random, copy(chat), name)),
      ];
    case 'terminal':
      return [TERMINALS[0], terminalDeed(at, random, name)];
    case 'nowhere':
      return ['ahp-chat:/nowhere', { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'none' }];
    case 'wrong':
      return [SESSION, { type: 'chat/truncated' }];
    default:
      return what satisfies never;
  }
}

const messageOf = (text: string): Doc => ({ ...userMessage(text) });

/** The action as an object of any version. */
const plain = (action: object | '' | undefined): Doc | undefined =>
  action === undefined || action === '' ? undefined : { ...action };

/** The chat as a state of version 1.0; the parts that are read are equal in all versions. */
const copy = (chat: Doc): ChatState => JSON.parse(JSON.stringify(chat));

/** The open requests: parts of the active turn, and a list of their own before 0.6. */
function requestsOf(chat: Doc): ChatInputRequest[] {
  const parts = docs(doc(chat['activeTurn'])['responseParts']);
  const open = parts.filter((part) => part['kind'] === 'inputRequest' && part['response'] === undefined);
  const listed =
    chat['inputRequests'] === undefined ? open.map((part) => part['request']) : chat['inputRequests'];
  return JSON.parse(JSON.stringify(listed));
}

/** The first call of the active turn with this status. Its id is empty if there is none. */
function callIn(chat: Doc, status: string): { turnId: string; toolCallId: string } {
  const turn = doc(chat['activeTurn']);
  const calls = docs(turn['responseParts']).map((part) => doc(part['toolCall']));
  const call = calls.find((each) => each['status'] === status);
  return { turnId: String(turn['id']), toolCallId: String(call?.['toolCallId'] ?? '') };
}

function confirm(random: SeededRandom, chat: Doc): Doc | undefined {
  const { turnId, toolCallId } = callIn(chat, 'pending-confirmation');
  if (toolCallId === '') return undefined;
  if (!random.chance(0.7)) return plain(denied(turnId, toolCallId));
  return plain(approved(turnId, toolCallId, random.chance(0.2) ? { editedToolInput: random.hex(4) } : {}));
}

function flag(random: SeededRandom, channel: 'session' | 'chat'): Doc {
  const isSet = random.chance(0.5);
  return random.chance(0.5)
    ? { type: `${channel}/isReadChanged`, isRead: isSet }
    : { type: `${channel}/isArchivedChanged`, isArchived: isSet };
}

function directory(at: At, random: SeededRandom, session: Doc): Doc {
  const [first, second] = [someFolder(random), someFolder(random)];
  const known: readonly unknown[] = docs(session['workingDirectories']);
  const present = known.at(-1) ?? first;
  const what = random.weighted({ set: 3, remove: 2, replace: since(at, '0.8.0') ? 1 : 0 });
  switch (what) {
    case 'set':
      return { type: 'session/workingDirectorySet', directory: first };
    case 'remove':
      return { type: 'session/workingDirectoryRemoved', directory: present };
    case 'replace':
      return { type: 'session/workingDirectoryReplaced', directory: present, replacement: second };
    default:
      return what satisfies never;
  }
}

/** Version 0.4 has one active client for a session. */
function joining(at: At, random: SeededRandom, clientId: string): Doc {
  const activeClient = { clientId, displayName: random.hex(4), tools: someTools(random) };
  return since(at, '0.5.0')
    ? { type: 'session/activeClientSet', activeClient }
    : { type: 'session/activeClientChanged', activeClient };
}

function terminalDeed(at: At, random: SeededRandom, clientId: string): Doc {
  const what = random.weighted({ input: 3, resize: 2, claim: 2, release: 1, title: 1 });
  switch (what) {
    case 'input':
      return { type: 'terminal/input', data: random.hex(3) };
    case 'resize':
      return { type: 'terminal/resized', cols: random.between(20, 90), rows: random.between(5, 40) };
    case 'claim':
      return { type: 'terminal/claimed', claim: { kind: 'client', clientId } };
    case 'release': {
      const chat = since(at, '0.9.0') ? { chat: SECOND_CHAT } : {};
      return { type: 'terminal/claimed', claim: { kind: 'session', session: SESSION, ...chat } };
    }
    case 'title':
      return { type: 'terminal/titleChanged', title: random.hex(4) };
    default:
      return what satisfies never;
  }
}
