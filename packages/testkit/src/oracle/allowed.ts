import type { VersionLine } from '@agenthost/protocol';
import { type Doc, doc, docs, isDoc, putActivity, putBit, since } from './doc.ts';

// The differences between what a client of an older version computes and what the host shows it that section 13 of the protocol's changes
// allows. Everything else must be equal.

/** Fields that differ after any action. */
interface AllowedField {
  /** The first version without the difference. */
  readonly before: VersionLine;
  readonly kind: string;
  readonly reason: string;
  readonly strip: (state: Doc) => void;
}

const turnsOf = (state: Doc): Doc[] => [...docs(state['turns']), doc(state['activeTurn'])];

const uriOf = ({ resource }: Doc): string => String(resource);

const isQuestion = (part: Doc): boolean => part['kind'] === 'inputRequest';

const questionIdOf = (part: Doc): string => String(doc(part['request'])['id']);

/** All other parts before the questions, which are sorted by id: several may be open, and their answers may come in any order. */
const questionsLast = (parts: readonly Doc[]): Doc[] => [
  ...parts.filter((part) => !isQuestion(part)),
  ...parts.filter(isQuestion).toSorted((a, b) => (questionIdOf(a) < questionIdOf(b) ? -1 : 1)),
];

/** Fields of chats that no action of 0.9 changes. */
const NEW_OF_CHATS = ['changesets', 'canvases', 'backgroundWork', 'movable'];
const FLAGS = [32, 64];

function dropChoice(one: Doc): void {
  delete one['model'];
  delete one['agent'];
}

const FIELDS: readonly AllowedField[] = [
  {
    before: '1.0.0',
    kind: 'chat',
    reason: 'new optional fields may stay, and flags of chats follow with the next snapshot',
    strip: (state) => {
      for (const field of NEW_OF_CHATS) delete state[field];
      for (const bit of FLAGS) if (state['status'] !== undefined) putBit(state, bit, false);
    },
  },
  {
    before: '1.0.0',
    kind: 'session',
    reason: 'a new order of chats, and the end of a blocking start, follow with the next snapshot',
    strip: (state) => {
      state['chats'] = docs(state['chats']).toSorted((a, b) => (uriOf(a) < uriOf(b) ? -1 : 1));
      for (const entry of docs(state['customizations']))
        for (const one of [entry, ...docs(entry['children'])]) delete doc(one['state'])['blocking'];
    },
  },
  {
    before: '0.9.0',
    kind: 'chat',
    reason: 'older reducers write the time of their own clock',
    strip: (state) => delete state['modifiedAt'],
  },
  {
    before: '0.8.0',
    kind: 'session',
    reason: 'older reducers raise InputNeeded for tools that a client runs',
    strip: (state) => {
      const holder = isDoc(state['summary']) ? state['summary'] : state;
      if (holder['status'] !== undefined) putActivity(holder, 0);
    },
  },
  ...['chat', 'session'].map(
    (kind): AllowedField => ({
      before: '0.7.0',
      kind,
      reason: 'a changed first directory shows in summaries, and in the state with the next snapshot',
      strip: (state) => {
        delete state['workingDirectory'];
        delete doc(state['summary'])['workingDirectory'];
      },
    }),
  ),
  {
    before: '0.7.0',
    kind: 'session',
    reason: 'a change of an entry cannot remove its directory',
    strip: (state) => {
      for (const entry of docs(state['chats'])) delete entry['workingDirectory'];
    },
  },
  {
    before: '0.6.0',
    kind: 'chat',
    reason: 'times of turns may stay in what is sent, and older reducers do not set them',
    strip: (state) => {
      for (const turn of turnsOf(state)) {
        delete turn['startedAt'];
        delete turn['duration'];
      }
    },
  },
  {
    before: '0.6.0',
    kind: 'chat',
    reason: 'older reducers append the part of an input request when it is answered',
    strip: (state) => {
      for (const turn of turnsOf(state)) {
        const parts = docs(turn['responseParts']);
        if (parts.some(isQuestion)) turn['responseParts'] = questionsLast(parts);
      }
    },
  },
  {
    before: '0.5.0',
    kind: 'chat',
    reason: 'the activity of a chat follows with the next snapshot',
    strip: (state) => delete state['activity'],
  },
  {
    before: '0.5.0',
    kind: 'chat',
    reason: 'models and agents of messages follow with the next snapshot',
    strip: dropChoice,
  },
  {
    before: '0.5.0',
    kind: 'session',
    reason: 'models and agents of messages follow with the next snapshot',
    strip: (state) => {
      for (const one of [doc(state['summary']), ...docs(state['chats'])]) dropChoice(one);
    },
  },
  {
    before: '0.5.0',
    kind: 'session',
    reason: 'the session state of later versions has no times',
    strip: (state) => {
      const summary = doc(state['summary']);
      delete summary['createdAt'];
      delete summary['modifiedAt'];
      delete summary['resource'];
    },
  },
];

/** The state without fields that may differ at a version. */
export function comparable(version: VersionLine, kind: string, state: Doc): Doc {
  const copy = structuredClone(state);
  for (const allowed of FIELDS)
    if (allowed.kind === kind && !since({ version, now: 0 }, allowed.before)) allowed.strip(copy);
  return copy;
}

/** Actions after which states may differ until the next snapshot. */
interface AllowedAction {
  /** The first version without the difference. */
  readonly before: VersionLine;
  readonly reason: string;
  /** `state`: in version 1.0, before the action. */
  readonly isMet: (state: Doc, action: Doc) => boolean;
}

const isOf = (type: unknown, ...names: readonly string[]): boolean =>
  names.some((name) => type === `chat/${name}`);

/** The tool call that an action names; an empty object if there is none. */
function callOf(state: Doc, action: Doc): Doc {
  const turn = doc(state['activeTurn']);
  if (turn['id'] !== action['turnId']) return {};
  const calls = docs(turn['responseParts']).map((part) => doc(part['toolCall']));
  return calls.findLast(({ toolCallId }) => toolCallId === action['toolCallId']) ?? {};
}

const ACTIONS: readonly AllowedAction[] = [
  {
    before: '0.5.0',
    reason: 'the host remembers a chosen model or agent for later messages',
    isMet: (_, { type }) => type === 'session/modelChanged' || type === 'session/agentChanged',
  },
  {
    before: '0.5.0',
    reason: 'new tools of a client that is not active make it active',
    isMet: (state, { type }) =>
      type === 'session/activeClientToolsChanged' && docs(state['activeClients']).length === 0,
  },
  {
    before: '0.9.0',
    reason: 'an error of a changeset comes with its status from 0.9 on; only hosts send it with content',
    isMet: (state, { type, error }) =>
      type === 'changeset/contentChanged' && error !== undefined && state['error'] !== error,
  },
  {
    before: '0.7.0',
    reason: 'a toolCallReady refines contributor and intention from 0.7 on',
    isMet: (state, action) =>
      isOf(action['type'], 'toolCallReady') &&
      callOf(state, action)['toolCallId'] !== undefined &&
      (action['contributor'] !== undefined || action['intention'] !== undefined),
  },
  {
    before: '0.7.0',
    reason: 'a toolCallReady without input keeps the earlier input from 0.7 on',
    isMet: (state, action) =>
      isOf(action['type'], 'toolCallReady') &&
      action['toolInput'] === undefined &&
      callOf(state, action)['toolInput'] !== undefined,
  },
  {
    before: '0.6.0',
    reason: 'a call that waits for an approval takes another toolCallReady from 0.6 on',
    isMet: (state, action) =>
      isOf(action['type'], 'toolCallReady') && callOf(state, action)['status'] === 'pending-confirmation',
  },
  {
    before: '0.6.0',
    reason: 'hosts ask only within a turn; without one the older reducer opens a request',
    isMet: (state, { type }) =>
      isOf(type, 'inputRequested', 'inputCompleted') && state['activeTurn'] === undefined,
  },
  {
    before: '0.6.0',
    reason: 'hosts start no turn within another; the older reducer would keep its open requests',
    isMet: (state, { type }) => isOf(type, 'turnStarted') && state['activeTurn'] !== undefined,
  },
  {
    before: '0.5.1',
    reason: 'clients without turnsLoaded have all turns in their snapshots',
    isMet: (_, { type }) => isOf(type, 'turnsLoaded'),
  },
  {
    before: '0.6.0',
    reason: 'the older reducer knows a paused call as a running one; hosts send it no such action',
    isMet: (state, action) =>
      callOf(state, action)['status'] === 'auth-required' &&
      !isOf(action['type'], 'toolCallAuthResolved') &&
      doc(action['result'])['success'] !== false,
  },
];

/** The reason why states of a version may differ after an action; `undefined`: they may not. `action` and `state`: in version 1.0. */
export const allowedAfter = (version: VersionLine, state: Doc, action: Doc): string | undefined =>
  ACTIONS.find(({ before, isMet }) => !since({ version, now: 0 }, before) && isMet(state, action))?.reason;
