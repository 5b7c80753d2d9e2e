import { describe, expect, it } from 'vitest';
import { NESTING_LIMIT } from './check.ts';
import { validateAction, validateParams } from './index.ts';
import {
  validateClientResult,
  validateHostParams,
  validateNotification,
  validateResult,
  validateState,
} from './peer.ts';

const delta = { type: 'chat/delta', turnId: 't1', partId: 'p1', content: 'hi' };

function errorOf(checked: { ok: boolean; error?: string }): string | undefined {
  expect(checked.ok).toBe(false);
  return checked.error;
}

function turnStarted(message: unknown) {
  return { type: 'chat/turnStarted', turnId: 't1', startedAt: '2026-06-01T00:00:00.000Z', message };
}

/** Freezes a value deeply, so that a check that writes to it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('an action', () => {
  it('is returned unchanged, including unknown fields', () => {
    const action = frozen({ ...delta, 'x-note': { deep: [1] } });
    const checked = validateAction(action);
    expect(checked).toEqual({ ok: true, action });
    expect(checked.ok && checked.action).toBe(action);
  });

  it.each([
    [undefined, 'action: must be an object'],
    [null, 'action: must be an object'],
    [7, 'action: must be an object'],
    [[], 'action.type: is required'],
    [{}, 'action.type: is required'],
    [{ type: 7 }, 'action.type: must be a string'],
    [{ type: 'chat/later' }, 'unknown action type "chat/later"'],
    [{ type: '__proto__' }, 'unknown action type "__proto__"'],
    [{ type: 'constructor' }, 'unknown action type "constructor"'],
    [{ ...delta, content: 5 }, 'action.content: must be a string'],
    [{ ...delta, turnId: undefined }, 'action.turnId: is required'],
    [{ ...delta, turnId: null }, 'action.turnId: must be a string'],
  ])('[ACT-3] %j is refused by one sentence', (value, error) => {
    expect(errorOf(validateAction(value))).toBe(error);
  });

  it('[ACT-3] is refused with the path of the invalid member', () => {
    const attachments = [{ type: 'simple', label: 'a' }, { type: 'simple' }];
    const message = { text: 'go', origin: { kind: 'user' }, attachments };
    expect(errorOf(validateAction(turnStarted(message)))).toBe(
      'action.message.attachments[1].label: is required',
    );
  });

  it.each([
    [{ label: 'a' }, 'action.message.attachments[0].type: is required'],
    [{ label: 'a', type: 5 }, 'action.message.attachments[0].type: must be a string'],
    [{ type: 'hologram' }, 'action.message.attachments[0].label: is required'],
    [{ label: 'a', type: 'resource' }, 'action.message.attachments[0].uri: is required'],
    [7, 'action.message.attachments[0]: must be an object'],
  ])('[ACT-3] says what is wrong with an attachment: %j', (attachment, error) => {
    const message = { text: 'go', origin: { kind: 'user' }, attachments: [attachment] };
    expect(errorOf(validateAction(turnStarted(message)))).toBe(error);
  });

  it('[CHAT-3] may have attachments of a kind that only newer peers know', () => {
    const attachments = [{ type: 'hologram', label: 'a', beam: 3 }];
    const message = { text: 'go', origin: { kind: 'user' }, attachments };
    expect(validateAction(turnStarted(message)).ok).toBe(true);
  });

  it('has fields that depend on a boolean', () => {
    const call = { type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId: 'c1' };
    expect(validateAction({ ...call, approved: true, confirmed: 'user-action' }).ok).toBe(true);
    expect(validateAction({ ...call, approved: false, reason: 'denied' }).ok).toBe(true);
    expect(errorOf(validateAction(call))).toBe('action.approved: is required');
    expect(errorOf(validateAction({ ...call, approved: 'yes' }))).toBe('action.approved: must be a boolean');
    expect(errorOf(validateAction({ ...call, approved: true }))).toBe('action.confirmed: is required');
    expect(errorOf(validateAction({ ...call, approved: false, reason: 'bored' }))).toBe(
      'action.reason: must be "denied" or "skipped"',
    );
  });

  it('must not contain a number that JSON cannot represent', () => {
    for (const cols of [Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('1e999')]) {
      expect(validateAction({ type: 'terminal/resized', cols, rows: 24 }).ok).toBe(false);
    }
  });

  it('[SESS-4] has any non-negative integer as status', () => {
    const summary = { resource: 'ahp-chat:/c', title: 'c', modifiedAt: '2026-01-01T00:00:00.000Z' };
    const added = (status: unknown) =>
      validateAction({ type: 'session/chatAdded', summary: { ...summary, status } });
    expect(added(2_147_483_720).ok).toBe(true);
    expect(errorOf(added(-1))).toBe('action.summary.status: must be at least 0');
    expect(errorOf(added(1.5))).toBe('action.summary.status: must be an integer');
  });

  it('is repeated only in part by its error', () => {
    const secret = 's'.repeat(10_000);
    const message = { text: 'go', origin: { kind: 'user' }, attachments: [{ type: secret }] };
    const error = errorOf(validateAction(turnStarted(message)));
    expect(error?.length).toBeLessThan(120);
    expect(errorOf(validateAction({ type: secret }))?.length).toBeLessThan(80);
    const answers = { [secret]: { state: 'submitted' } };
    const completed = { type: 'chat/inputCompleted', requestId: 'r', response: 'accept', answers };
    expect(errorOf(validateAction(completed))?.length).toBeLessThan(120);
  });

  it('may have keys with the names of inherited members', () => {
    const answers = JSON.parse('{"__proto__": {"state": "skipped"}, "constructor": {"state": "later"}}');
    const completed = { type: 'chat/inputCompleted', requestId: 'r', response: 'accept', answers };
    expect(errorOf(validateAction(completed))).toBe(
      'action.answers.constructor.state: "later" is not known here',
    );
  });
});

describe('params from a client', () => {
  it('[WIRE-2] have the channel of their method', () => {
    expect(validateParams('ping', { channel: 'ahp-root://' }).ok).toBe(true);
    expect(errorOf(validateParams('ping', { channel: 'ahp-root:/x' }))).toBe(
      'params.channel: must be "ahp-root://"',
    );
    expect(errorOf(validateParams('ping', undefined))).toBe('params: must be an object');
    expect(errorOf(validateParams('ping', []))).toBe('params: must be an object');
  });

  it('[ACT-3] of a dispatch need a valid channel and number; the action has a separate check', () => {
    const dispatch = { channel: 'ahp-chat:/c', clientSeq: 1 };
    for (const action of [undefined, 7, { type: 'chat/later' }, delta]) {
      expect(validateParams('dispatchAction', { ...dispatch, action }).ok).toBe(true);
    }
    expect(validateParams('dispatchAction', { clientSeq: 1, action: delta }).ok).toBe(false);
    expect(validateParams('dispatchAction', { ...dispatch, clientSeq: '1' }).ok).toBe(false);
  });

  it('contain only integers that a number stores exactly', () => {
    const dispatch = (clientSeq: unknown) =>
      validateParams('dispatchAction', { channel: 'ahp-chat:/c', clientSeq });
    expect(dispatch(Number.MAX_SAFE_INTEGER).ok).toBe(true);
    expect(errorOf(dispatch(1.5))).toBe('params.clientSeq: must be an integer');
    expect(errorOf(dispatch(-1))).toBe('params.clientSeq: must be at least 0');
    expect(errorOf(dispatch(1e300))).toBe('params.clientSeq: must be at most 9007199254740991');
    const resized = (cols: number) => validateAction({ type: 'terminal/resized', cols, rows: 24 });
    expect(resized(65_535).ok).toBe(true);
    expect(errorOf(resized(0))).toBe('action.cols: must be at least 1');
    expect(errorOf(resized(65_536))).toBe('action.cols: must be at most 65535');
  });

  it('[CONN-1] of a handshake may contain malformed versions, which the negotiation handles', () => {
    const initialize = { channel: 'ahp-root://', clientId: 'c', protocolVersions: [7, 'x', '0.5.2'] };
    expect(validateParams('initialize', initialize).ok).toBe(true);
    expect(errorOf(validateParams('initialize', { ...initialize, protocolVersions: '0.5.2' }))).toBe(
      'params.protocolVersions: must be an array',
    );
  });

  it('[RES-4] are checked as strictly as results from a client', () => {
    expect(validateClientResult('resourceRead', { data: 'x', encoding: 'utf-8' }).ok).toBe(true);
    expect(errorOf(validateClientResult('resourceRead', { data: 'x', encoding: 'utf-7' }))).toBe(
      'result.encoding: must be "base64" or "utf-8"',
    );
  });
});

describe('a message from a host', () => {
  it.each(['user', 'agent', 'tool', 'systemNotification', 'automation'])(
    '[CHAT-25] may start a turn with a message of the kind %s',
    (kind) => {
      const message = { text: 'x', origin: { kind } };
      const action = {
        type: 'chat/turnStarted',
        turnId: 't',
        startedAt: '2026-06-01T00:00:00.000Z',
        message,
      };
      const envelope = { channel: 'ahp-chat:/1', serverSeq: 5, action };
      expect(validateNotification('action', envelope).ok).toBe(true);
    },
  );

  it('may carry an action that this version does not know', () => {
    const envelope = { channel: 'ahp-root://', serverSeq: 5, action: { type: 'root/later', more: 1 } };
    expect(validateNotification('action', envelope).ok).toBe(true);
    expect(errorOf(validateNotification('action', { ...envelope, serverSeq: '5' }))).toMatch(
      /^params\.serverSeq: must be an? (number|integer)$/,
    );
    expect(errorOf(validateNotification('action', { ...envelope, action: { more: 1 } }))).toBe(
      'params.action.type: is required',
    );
  });

  it('[WIRE-22] may list background work of an unknown kind', () => {
    const work = { kind: 'hologram', id: 'w', beam: 3 };
    const action = { type: 'chat/backgroundWorkSet', work };
    expect(validateNotification('action', { channel: 'ahp-chat:/1', serverSeq: 5, action }).ok).toBe(true);
    const snapshot = { resource: 'ahp-chat:/1', fromSeq: 1, state: { backgroundWork: [work] } };
    expect(validateResult('subscribe', { snapshot }).ok).toBe(true);
  });

  it('may contain names and union members that this version does not know', () => {
    expect(
      validateNotification('auth/required', { channel: 'a', resource: { resource: 'r' }, reason: 'revoked' })
        .ok,
    ).toBe(true);
    const item = { insertText: 'x', attachment: { type: 'hologram', beam: 3 } };
    expect(validateResult('completions', { items: [item] }).ok).toBe(true);
    expect(validateResult('completions', { items: [{ ...item, attachment: { type: 'simple' } }] }).ok).toBe(
      false,
    );
    expect(validateResult('reconnect', { type: 'rewind' }).ok).toBe(true);
    expect(
      validateHostParams('resourceRead', { channel: 'ahp-root://', uri: 'a:b', encoding: 'utf-7' }).ok,
    ).toBe(true);
  });

  it('is checked without the contents of its states', () => {
    const snapshot = { resource: 'ahp-chat:/c', fromSeq: 3, state: { turns: 'later' } };
    expect(validateResult('subscribe', { snapshot }).ok).toBe(true);
    expect(validateResult('subscribe', {}).ok).toBe(true);
    expect(errorOf(validateResult('subscribe', { snapshot: { ...snapshot, state: undefined } }))).toBe(
      'result.snapshot.state: is required',
    );
    expect(validateResult('createSession', null).ok).toBe(true);
  });
});

describe('a state', () => {
  const nested = (depth: number) => {
    let schema: object = { type: 'string', title: 'leaf' };
    for (let level = 1; level < depth; level += 1) schema = { type: 'array', title: 'list', items: schema };
    return { agents: [], config: { schema: { type: 'object', properties: { a: schema } }, values: {} } };
  };

  it('is refused when it nests too deep', () => {
    expect(validateState('root', nested(20)).ok).toBe(true);
    expect(errorOf(validateState('root', nested(200_000)))).toBe(
      `state: nests deeper than ${NESTING_LIMIT} levels`,
    );
  });

  it('is valid only for its own kind of channel', () => {
    expect(validateState('annotations', { annotations: [] }).ok).toBe(true);
    expect(validateState('chat', { annotations: [] }).ok).toBe(false);
  });
});
