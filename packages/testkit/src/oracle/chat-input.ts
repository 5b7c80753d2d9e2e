import { deriveStatus, openParts, touch } from './chat-status.ts';
import {
  type At,
  type Change,
  type Doc,
  doc,
  docs,
  drop,
  isDoc,
  put,
  putBit,
  since,
  type Table,
} from './doc.ts';

const READ_BIT = 32;

/** From 0.6 on, open requests are parts of the active turn; before, they were a list of the chat. */
const openRequest = (state: Doc, id: unknown, at: At): Doc | undefined => {
  const requests = since(at, '0.6.0')
    ? openParts(state).map((part) => doc(part['request']))
    : docs(state['inputRequests']);
  return requests.findLast((request) => request['id'] === id);
};

const inputRequested: Change = (state, action, at) => {
  const turn = state['activeTurn'];
  const isPart = since(at, '0.6.0');
  if (isPart && !isDoc(turn)) return;
  const request: Doc = { ...doc(action['request']) };
  const open = openRequest(state, request['id'], at);
  put(request, 'answers', request['answers'] ?? open?.['answers']);
  if (open !== undefined) replace(open, request);
  else if (isPart && isDoc(turn))
    turn['responseParts'] = [...docs(turn['responseParts']), { kind: 'inputRequest', request }];
  else state['inputRequests'] = [...docs(state['inputRequests']), request];
  deriveStatus(state);
  putBit(state, READ_BIT, false);
  touch(state, at);
};

function replace(target: Doc, source: Doc): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

const inputAnswerChanged: Change = (state, action, at) => {
  const open = openRequest(state, action['requestId'], at);
  if (open === undefined) return;
  const answers = { ...doc(open['answers']) };
  put(answers, String(action['questionId']), action['answer']);
  put(open, 'answers', orAbsent(answers));
  touch(state, at);
};

const orAbsent = (answers: Doc): Doc | undefined => (Object.keys(answers).length > 0 ? answers : undefined);

const inputCompleted: Change = (state, action, at) => {
  const id = action['requestId'];
  const open = openRequest(state, id, at);
  if (open === undefined) return;
  put(open, 'answers', orAbsent({ ...doc(open['answers']), ...doc(action['answers']) }));
  const { response } = action;
  if (since(at, '0.6.0')) {
    const part = openParts(state).findLast((one) => one['request'] === open);
    if (part !== undefined) part['response'] = response;
  } else {
    const requests = docs(state['inputRequests']);
    drop(requests, id);
    if (requests.length === 0) delete state['inputRequests'];
    const turn = state['activeTurn'];
    // Before 0.5.2, an answered request left no part.
    if (isDoc(turn) && since(at, '0.5.2'))
      turn['responseParts'] = [
        ...docs(turn['responseParts']),
        { kind: 'inputRequest', request: open, response },
      ];
  }
  deriveStatus(state);
  touch(state, at);
};

export const CHAT_INPUTS: Table = {
  'chat/inputRequested': inputRequested,
  'chat/inputAnswerChanged': inputAnswerChanged,
  'chat/inputCompleted': inputCompleted,
};
