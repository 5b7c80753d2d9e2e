import { CHAT_INPUTS } from './chat-input.ts';
import { deriveStatus, touch } from './chat-status.ts';
import {
  type Change,
  type Doc,
  doc,
  docs,
  drop,
  from,
  isDoc,
  put,
  putActivity,
  putAll,
  putBit,
  since,
  type Table,
  upsert,
} from './doc.ts';
import { endedCall, startedCall, stepToolCall } from './tool-call.ts';

const [IDLE, ERROR] = [1, 2];
const [READ_BIT, ARCHIVED_BIT] = [32, 64];

/** The active turn with this id. */
function activeTurn(state: Doc, turnId: unknown): Doc | undefined {
  const turn = state['activeTurn'];
  return isDoc(turn) && turn['id'] === turnId ? turn : undefined;
}

const partsOf = (turn: Doc): Doc[] => docs(turn['responseParts']);

const turnStarted: Change = (state, action, at) => {
  const turn: Doc = { id: action['turnId'], message: action['message'], responseParts: [] };
  if (since(at, '0.6.0')) putAll(turn, action, 'startedAt');
  state['activeTurn'] = turn;
  deriveStatus(state);
  putBit(state, READ_BIT, false);
  touch(state, at);
  if (since(at, '0.9.0')) put(state, 'modifiedAt', action['startedAt']);
  const queued = action['queuedMessageId'];
  if (queued === undefined) return;
  if (doc(state['steeringMessage'])['id'] === queued) delete state['steeringMessage'];
  removeQueued(state, queued);
};

function removeQueued(state: Doc, id: unknown): void {
  const queue = docs(state['queuedMessages']);
  drop(queue, id);
  if (queue.length === 0) delete state['queuedMessages'];
}

const ended =
  (outcome: 'complete' | 'cancelled' | 'error'): Change =>
  (state, action, at) => {
    const turn = activeTurn(state, action['turnId']);
    if (turn === undefined) return;
    for (const part of partsOf(turn)) {
      if (part['kind'] === 'toolCall') part['toolCall'] = endedCall(doc(part['toolCall']));
    }
    turn['state'] = outcome;
    if (since(at, '0.6.0')) {
      const given = action['duration'];
      if (given !== undefined) turn['duration'] = Math.max(0, Number(given));
    }
    if (outcome === 'error') {
      if (since(at, '0.9.0')) turn['responseParts'] = [...partsOf(turn), action['part']];
      else put(turn, 'error', action['error']);
    }
    state['turns'] = [...docs(state['turns']), turn];
    delete state['activeTurn'];
    delete state['inputRequests'];
    putActivity(state, outcome === 'error' ? ERROR : IDLE);
    touch(state, at);
    if (since(at, '0.9.0')) {
      const end = Date.parse(String(turn['startedAt'])) + Number(turn['duration']);
      // Hosts reject other times; with one, the time of change stays.
      if (!Number.isNaN(new Date(end).getTime())) state['modifiedAt'] = new Date(end).toISOString();
    }
  };

const truncated: Change = (state, action, at) => {
  const turns = docs(state['turns']);
  const id = action['turnId'];
  const kept = id === undefined ? 0 : turns.findLastIndex((turn) => turn['id'] === id) + 1;
  if (id !== undefined && kept === 0) return;
  state['turns'] = turns.slice(0, kept);
  delete state['activeTurn'];
  delete state['inputRequests'];
  if (kept === 0) delete state['turnsNextCursor'];
  putActivity(state, IDLE);
  touch(state, at);
};

const turnResume: Change = (state, action) => {
  const turns = docs(state['turns']);
  const last = turns.at(-1);
  if (state['activeTurn'] !== undefined || last === undefined || last['id'] !== action['turnId']) return;
  const tail = partsOf(last).at(-1);
  if (last['state'] !== 'error' || tail?.['kind'] !== 'error' || tail['resumable'] !== true) return;
  const { state: _, duration: __, ...turn } = last;
  turn['startedAt'] ??= state['modifiedAt'];
  state['turns'] = turns.slice(0, -1);
  state['activeTurn'] = turn;
  deriveStatus(state);
  putBit(state, READ_BIT, false);
};

const turnsLoaded: Change = (state, action) => {
  const turns = docs(state['turns']);
  const known = new Set(turns.map((turn) => turn['id']));
  const older = docs(action['turns']).filter((turn) => {
    const isNew = !known.has(turn['id']);
    known.add(turn['id']);
    return isNew;
  });
  state['turns'] = [...older, ...turns];
  putAll(state, action, 'turnsNextCursor');
};

const responsePart: Change = (state, action, at) => {
  const { part } = action;
  if (since(at, '0.9.0') && doc(part)['kind'] === 'error') return;
  const turn = activeTurn(state, action['turnId']);
  if (turn !== undefined) turn['responseParts'] = [...partsOf(turn), part];
};

const appended =
  (kind: 'markdown' | 'reasoning'): Change =>
  (state, action) => {
    const parts = partsOf(activeTurn(state, action['turnId']) ?? {});
    const part = parts.findLast((one) => one['kind'] === kind && one['id'] === action['partId']);
    if (part !== undefined) part['content'] = `${String(part['content'])}${String(action['content'])}`;
  };

const toolCallStep: Change = (state, action, at) => {
  const parts = partsOf(activeTurn(state, action['turnId']) ?? {});
  const part = parts.findLast(
    (one) => one['kind'] === 'toolCall' && doc(one['toolCall'])['toolCallId'] === action['toolCallId'],
  );
  if (part !== undefined) part['toolCall'] = stepToolCall(doc(part['toolCall']), action, at);
};

const toolCallMove: Change = (state, action, at) => {
  toolCallStep(state, action, at);
  deriveStatus(state);
};

const pendingSet: Change = (state, { kind, id, message }) => {
  if (kind === 'steering') state['steeringMessage'] = { id, message };
  if (kind !== 'queued') return;
  const queue = docs(state['queuedMessages']);
  upsert(queue, { id, message });
  state['queuedMessages'] = queue;
};

const pendingRemoved: Change = (state, { kind, id }) => {
  if (kind === 'steering' && doc(state['steeringMessage'])['id'] === id) delete state['steeringMessage'];
  if (kind === 'queued') removeQueued(state, id);
};

const reordered: Change = (state, { order }) => {
  const queue = docs(state['queuedMessages']);
  const ids: readonly unknown[] = Array.isArray(order) ? order : [];
  const place = (entry: Doc): number => {
    const index = ids.indexOf(entry['id']);
    return index < 0 ? ids.length : index;
  };
  if (queue.length > 0) state['queuedMessages'] = queue.toSorted((a, b) => place(a) - place(b));
};

const directorySet: Change = (state, { directory }) => {
  const list: unknown[] = Array.isArray(state['workingDirectories']) ? state['workingDirectories'] : [];
  if (!list.includes(directory)) state['workingDirectories'] = [...list, directory];
};

const directoryRemoved: Change = (state, { directory }) => {
  const list = state['workingDirectories'];
  if (Array.isArray(list)) state['workingDirectories'] = list.filter((one) => one !== directory);
};

/** `workingDirectorySet` and `workingDirectoryRemoved` of chats and sessions. */
export const DIRECTORIES = { set: from('0.7.0', directorySet), removed: from('0.7.0', directoryRemoved) };

const backgroundWorkSet: Change = (state, { work }) => {
  const list = docs(state['backgroundWork']);
  upsert(list, work);
  state['backgroundWork'] = list;
};

export const CHAT: Table = {
  ...CHAT_INPUTS,
  'chat/turnStarted': turnStarted,
  'chat/turnComplete': ended('complete'),
  'chat/turnCancelled': ended('cancelled'),
  'chat/error': ended('error'),
  'chat/turnResume': from('0.9.0', turnResume),
  'chat/truncated': truncated,
  'chat/turnsLoaded': from('0.5.1', turnsLoaded),
  'chat/responsePart': responsePart,
  'chat/delta': appended('markdown'),
  'chat/reasoning': appended('reasoning'),
  'chat/usage': (state, action) => {
    const turn = activeTurn(state, action['turnId']);
    if (turn !== undefined) putAll(turn, action, 'usage');
  },
  'chat/toolCallStart': (state, action) => {
    const turn = activeTurn(state, action['turnId']);
    if (turn === undefined) return;
    turn['responseParts'] = [...partsOf(turn), { kind: 'toolCall', toolCall: startedCall(action) }];
  },
  'chat/toolCallDelta': toolCallStep,
  'chat/toolCallContentChanged': toolCallStep,
  'chat/toolCallReady': toolCallMove,
  'chat/toolCallConfirmed': toolCallMove,
  'chat/toolCallComplete': toolCallMove,
  'chat/toolCallResultConfirmed': toolCallMove,
  'chat/toolCallAuthRequired': from('0.6.0', toolCallMove),
  'chat/toolCallAuthResolved': from('0.6.0', toolCallMove),
  'chat/pendingMessageSet': pendingSet,
  'chat/pendingMessageRemoved': pendingRemoved,
  'chat/queuedMessagesReordered': reordered,
  'chat/draftChanged': from('0.5.0', (state, action) => putAll(state, action, 'draft')),
  'chat/activityChanged': from('0.5.0', (state, action) => putAll(state, action, 'activity')),
  'chat/workingDirectorySet': DIRECTORIES.set,
  'chat/workingDirectoryRemoved': DIRECTORIES.removed,
  'chat/isReadChanged': from('1.0.0', (state, { isRead }) => putBit(state, READ_BIT, isRead === true)),
  'chat/isArchivedChanged': from('1.0.0', (state, { isArchived }) =>
    putBit(state, ARCHIVED_BIT, isArchived === true),
  ),
  'chat/changesetsChanged': from('1.0.0', (state, action) => putAll(state, action, 'changesets')),
  'chat/movableChanged': from('1.0.0', (state, action) => putAll(state, action, 'movable')),
  'chat/canvasesChanged': from('1.0.0', (state, action) => putAll(state, action, 'canvases')),
  'chat/backgroundWorkSet': from('1.0.0', backgroundWorkSet),
  'chat/backgroundWorkRemoved': from('1.0.0', (state, { id }) => {
    drop(docs(state['backgroundWork']), id);
  }),
};
