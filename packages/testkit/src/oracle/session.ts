import { DIRECTORIES } from './chat.ts';
import { CUSTOMIZATIONS } from './customizations.ts';
import {
  type At,
  before,
  type Change,
  type Doc,
  doc,
  docs,
  drop,
  from,
  isDoc,
  mergeConfig,
  put,
  putActivity,
  putAll,
  putBit,
  since,
  type Table,
  upsert,
} from './doc.ts';

const INPUT_NEEDED = 24;
const [READ_BIT, ARCHIVED_BIT, ASKING_BIT] = [32, 64, 16];

/** Where title, status and activity stand: in 0.4 within the summary. */
const facts = (state: Doc, at: At): Doc => (since(at, '0.5.0') ? state : doc(state['summary']));

/** In 0.4 the reducers of some actions wrote the time of their clock into the summary. */
function touch(state: Doc, at: At): void {
  if (!since(at, '0.5.0')) doc(state['summary'])['modifiedAt'] = at.now;
}

const inputNeeded =
  (change: (list: Doc[], action: Doc) => boolean): Change =>
  (state, action, at) => {
    const list = docs(state['inputNeeded']);
    if (!change(list, action)) return;
    put(state, 'inputNeeded', list.length > 0 ? list : undefined);
    // From 0.8 on, tools that a client runs ask nobody.
    const isAsking = list.some(({ kind }) => kind !== 'toolClientExecution' || !since(at, '0.8.0'));
    if (isAsking) putActivity(state, INPUT_NEEDED);
    else putBit(state, ASKING_BIT, false);
  };

const chatUpdated: Change = (state, action) => {
  const chat = docs(state['chats']).findLast(({ resource }) => resource === action['chat']);
  if (chat !== undefined) Object.assign(chat, { ...doc(action['changes']), resource: chat['resource'] });
};

const chatsReordered: Change = (state, action) => {
  const chats = docs(state['chats']);
  const order: unknown[] = Array.isArray(action['chats']) ? action['chats'] : [];
  const sorted = order.flatMap((uri) => chats.find(({ resource }) => resource === uri) ?? []);
  const isWhole = order.length === chats.length && new Set(sorted).size === chats.length;
  if (isWhole) state['chats'] = sorted;
};

const directoryReplaced: Change = (state, { directory, replacement }) => {
  const list = state['workingDirectories'];
  if (!Array.isArray(list) || !list.includes(directory) || directory === replacement) return;
  const [target, other] = [list.indexOf(directory), list.indexOf(replacement)];
  const isBefore = other >= 0 && other < target;
  state['workingDirectories'] = list.flatMap((one: unknown, index) => {
    if (index === target) return isBefore ? [] : [replacement];
    return index === other && !isBefore ? [] : [one];
  });
};

const activeClientSet: Change = (state, { activeClient }) => {
  const list = docs(state['activeClients']);
  upsert(list, activeClient, 'clientId');
  state['activeClients'] = list;
};

export const SESSION: Table = {
  ...CUSTOMIZATIONS,
  'session/ready': (state) => put(state, 'lifecycle', 'ready'),
  'session/creationFailed': (state, { error }, at) => {
    state['lifecycle'] = since(at, '0.9.0') ? 'failed' : 'creationFailed';
    put(state, 'creationError', error);
  },
  'session/titleChanged': (state, action, at) => {
    putAll(facts(state, at), action, 'title');
    touch(state, at);
  },
  'session/isReadChanged': (state, { isRead }, at) => putBit(facts(state, at), READ_BIT, isRead === true),
  'session/isArchivedChanged': (state, { isArchived }, at) =>
    putBit(facts(state, at), ARCHIVED_BIT, isArchived === true),
  'session/activityChanged': (state, action, at) => putAll(facts(state, at), action, 'activity'),
  'session/metaChanged': (state, action) => putAll(state, action, '_meta'),
  'session/serverToolsChanged': (state, { tools }) => put(state, 'serverTools', tools),
  'session/changesetsChanged': (state, action) => putAll(state, action, 'changesets'),
  'session/configChanged': (state, action, at) => {
    if (mergeConfig(state, action)) touch(state, at);
  },
  'session/chatAdded': (state, { summary }) => upsert(docs(state['chats']), summary, 'resource'),
  'session/chatRemoved': (state, { chat }) => {
    if (drop(docs(state['chats']), chat, 'resource') && state['defaultChat'] === chat)
      delete state['defaultChat'];
  },
  'session/chatUpdated': chatUpdated,
  'session/chatsReordered': from('1.0.0', chatsReordered),
  'session/defaultChatChanged': (state, action) => putAll(state, action, 'defaultChat'),
  'session/activeClientSet': from('0.5.0', activeClientSet),
  'session/activeClientRemoved': from('0.5.0', (state, { clientId }) => {
    drop(docs(state['activeClients']), clientId, 'clientId');
  }),
  'session/activeClientChanged': before('0.5.0', (state, { activeClient }) =>
    put(state, 'activeClient', activeClient ?? undefined),
  ),
  'session/activeClientToolsChanged': before('0.5.0', (state, { tools }) => {
    if (isDoc(state['activeClient'])) put(state['activeClient'], 'tools', tools);
  }),
  'session/modelChanged': before('0.5.0', (state, action, at) => {
    putAll(facts(state, at), action, 'model');
    touch(state, at);
  }),
  'session/agentChanged': before('0.5.0', (state, action, at) => {
    putAll(facts(state, at), action, 'agent');
    touch(state, at);
  }),
  'session/inputNeededSet': from(
    '0.5.1',
    inputNeeded((list, { request }) => {
      upsert(list, request);
      return true;
    }),
  ),
  'session/inputNeededRemoved': from(
    '0.5.1',
    inputNeeded((list, { id }) => drop(list, id)),
  ),
  'session/workingDirectorySet': DIRECTORIES.set,
  'session/workingDirectoryRemoved': DIRECTORIES.removed,
  'session/workingDirectoryReplaced': from('0.8.0', directoryReplaced),
};
