import { type At, type Doc, doc, docs, isDoc, pick, put, putAll, since } from './doc.ts';

const IDENTITY = ['toolCallId', 'toolName', 'displayName', 'intention', 'contributor', '_meta'];
const INPUT = ['invocationMessage', 'toolInput'];
const ASKED = ['confirmationTitle', 'edits', 'editable', 'options', 'riskAssessment'];
const CONFIRMED = ['confirmed', 'selectedOption'];

/** The next state of a tool call; the call itself if the action does not apply to it. */
export function stepToolCall(call: Doc, action: Doc, at: At): Doc {
  const { status } = call;
  switch (action['type']) {
    case 'chat/toolCallDelta':
      return status === 'streaming' ? streamed(call, action, at) : call;
    case 'chat/toolCallReady':
      return isAskable(status, at) ? ready(call, action, at) : call;
    case 'chat/toolCallConfirmed':
      return status === 'pending-confirmation' ? decided(call, action) : call;
    case 'chat/toolCallContentChanged':
      return status === 'running' ? { ...call, ...pick(action, 'content'), ...metaOf(action, call) } : call;
    case 'chat/toolCallComplete':
      return completed(call, action);
    case 'chat/toolCallResultConfirmed':
      return status === 'pending-result-confirmation' ? resultDecided(call, action) : call;
    case 'chat/toolCallAuthRequired': {
      const isMcp = doc(call['contributor'])['kind'] === 'mcp';
      if (status !== 'running' || !isMcp || !since(at, '0.6.0')) return call;
      return {
        ...call,
        ...pick(action, 'auth'),
        ...metaOf(action, call),
        status: 'auth-required',
      };
    }
    case 'chat/toolCallAuthResolved': {
      if (status !== 'auth-required' || !since(at, '0.6.0')) return call;
      const { auth: _, ...rest } = call;
      return { ...rest, ...metaOf(action, call), status: 'running' };
    }
    default:
      return call;
  }
}

/** A new call of `chat/toolCallStart`. */
export const startedCall = (action: Doc): Doc => ({ ...pick(action, ...IDENTITY), status: 'streaming' });

/** What becomes of a call when its turn ends. */
export function endedCall(call: Doc): Doc {
  if (call['status'] === 'completed' || call['status'] === 'cancelled') return call;
  const invocationMessage = call['invocationMessage'] ?? '';
  // A streaming call has only partial input.
  const input = call['status'] === 'streaming' ? {} : pick(call, 'toolInput');
  return { ...pick(call, ...IDENTITY), ...input, invocationMessage, status: 'cancelled', reason: 'skipped' };
}

const metaOf = (action: Doc, call: Doc): Doc => pick({ _meta: action['_meta'] ?? call['_meta'] }, '_meta');

const isAskable = (status: unknown, at: At): boolean =>
  status === 'streaming' ||
  status === 'running' ||
  // Before 0.6 a call that waited for an approval took no other `toolCallReady`.
  (status === 'pending-confirmation' && since(at, '0.6.0'));

function streamed(call: Doc, action: Doc, at: At): Doc {
  const next: Doc = { ...call, ...metaOf(action, call) };
  const { content } = action;
  if (content !== undefined || !since(at, '0.7.0'))
    next['partialInput'] = `${String(call['partialInput'] ?? '')}${String(content)}`;
  put(next, 'invocationMessage', action['invocationMessage'] ?? call['invocationMessage']);
  return next;
}

function ready(call: Doc, action: Doc, at: At): Doc {
  const next: Doc = {
    ...pick(call, ...IDENTITY),
    ...metaOf(action, call),
    ...pick(action, ...INPUT),
  };
  if (since(at, '0.7.0')) refine(next, call, action);
  if (action['confirmed']) return { ...next, status: 'running', confirmed: action['confirmed'] };
  const asked = since(at, '0.6.0') ? ASKED : ASKED.filter((field) => field !== 'riskAssessment');
  putAll(next, action, ...asked.filter((field) => action[field] !== undefined));
  if (call['status'] === 'pending-confirmation') {
    for (const field of asked) put(next, field, action[field] ?? call[field]);
    put(next, 'toolInput', action['toolInput'] ?? call['toolInput']);
  }
  return { ...next, status: 'pending-confirmation' };
}

/** From 0.7 on, contributor and intention are provisional, and earlier input stays. */
function refine(next: Doc, call: Doc, action: Doc): void {
  put(next, 'intention', action['intention'] ?? call['intention']);
  const [had, given] = [doc(call['contributor'])['kind'], action['contributor']];
  if (had !== 'client' && isDoc(given) && given['kind'] !== 'client') next['contributor'] = given;
  if (call['status'] !== 'streaming') put(next, 'toolInput', action['toolInput'] ?? call['toolInput']);
}

function decided(call: Doc, action: Doc): Doc {
  const kept = { ...pick(call, ...IDENTITY, ...INPUT), ...metaOf(action, call) };
  const id = action['selectedOptionId'];
  const selectedOption = docs(call['options']).find((option) => id !== undefined && option['id'] === id);
  const chosen = pick({ selectedOption }, 'selectedOption');
  if (action['approved'] !== true)
    return {
      ...kept,
      ...pick(action, 'reason', 'reasonMessage', 'userSuggestion'),
      ...chosen,
      status: 'cancelled',
    };
  const edited = action['editedToolInput'];
  // A reference stays; the host rewrites its content.
  const isEdited = edited !== undefined && !isDoc(call['toolInput']);
  return {
    ...kept,
    ...(isEdited && { toolInput: edited }),
    ...chosen,
    ...pick(action, 'confirmed'),
    status: 'running',
  };
}

function completed(call: Doc, action: Doc): Doc {
  const result = doc(action['result']);
  const { status } = call;
  const isPaused = status === 'auth-required';
  if (status !== 'running' && status !== 'pending-confirmation' && !isPaused) return call;
  if (isPaused && result['success'] !== false) return call;
  const next: Doc = {
    ...(isPaused && pick(call, 'content')),
    ...result,
    ...pick(call, ...IDENTITY, ...INPUT, ...CONFIRMED),
    ...metaOf(action, call),
  };
  if (status === 'pending-confirmation') next['confirmed'] = 'not-needed';
  const isReviewed = action['requiresResultConfirmation'] === true && !isPaused;
  return { ...next, status: isReviewed ? 'pending-result-confirmation' : 'completed' };
}

function resultDecided(call: Doc, action: Doc): Doc {
  const meta = metaOf(action, call);
  if (action['approved'] === true) return { ...call, ...meta, status: 'completed' };
  const kept = pick(call, ...IDENTITY, ...INPUT, 'selectedOption');
  return { ...kept, ...meta, status: 'cancelled', reason: 'result-denied' };
}
