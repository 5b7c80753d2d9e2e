import * as fc from 'fast-check';
import type { ChannelAction, ChannelKind, ChannelState } from '../src/wire/channels.ts';
import type { StateAction } from '../src/wire/envelope.ts';

// Few different ids and texts, so that actions refer to results of earlier ones and repeat each other.
const id = fc.constantFrom('a', 'b', 'c');
const text = fc.constantFrom('', 'x', 'yz');
const flag = fc.boolean();
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const meta = fc.constantFrom({ k: 1 }, { k: 2, deep: [{ n: null }] });
const error = fc.constantFrom({ errorType: 'x', message: 'x' }, { errorType: 'y', message: 'y' });
const values = fc.dictionary(fc.constantFrom('p', 'q', '__proto__'), fc.constantFrom(1, 'two', null), {
  maxKeys: 2,
});
const message = fc.record({ text, origin: fc.constant({ kind: 'user' as const }) });
const status = fc.constantFrom(1, 2, 8, 24, 1 + 32, 8 + 64, 24 + 2 ** 40);
const range = fc.constantFrom(
  { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
  { start: { line: 2, character: 0 }, end: { line: 3, character: 0 } },
);

/** Actions of one type. Members without a value are left out, as on the wire. */
function action<T extends StateAction['type']>(
  type: T,
  members: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Extract<StateAction, { type: T }>> {
  return fc.record({ type: fc.constant(type), ...members }).map((value) => JSON.parse(JSON.stringify(value)));
}

const part = fc.oneof(
  fc.record({ kind: fc.constantFrom('markdown' as const, 'reasoning' as const), id, content: text }),
  fc.record({ kind: fc.constant('systemNotification' as const), content: text }),
  fc.record({ kind: fc.constant('error' as const), error }),
);
const errorPart = fc.record(
  { kind: fc.constant('error' as const), error, resumable: fc.boolean() },
  { requiredKeys: ['kind', 'error'] },
);
const startedAt = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T02:00:00+02:00', 'soon');
const duration = fc.constantFrom(0, 1.5, 1_000, -1, Number.MAX_VALUE);
const confirmed = fc.constantFrom('not-needed' as const, 'user-action' as const);
const options = fc.constant([
  { id: 'a', label: 'Yes', kind: 'approve' as const },
  { id: 'b', label: 'No', kind: 'deny' as const },
]);
const answer = fc.constantFrom(
  { state: 'skipped' as const },
  { state: 'draft' as const, value: { kind: 'text' as const, value: 'x' } },
);
const answers = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), answer, { maxKeys: 2 });
const turn = fc.record({
  id,
  message,
  responseParts: fc.array(part, { maxLength: 1 }),
  state: fc.constant('complete' as const),
});
const turnId = fc.constantFrom('a', 'a', 'b');
const call = { turnId, toolCallId: id, _meta: maybe(meta) };
const content = fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 1 });
const contributor = fc.constantFrom(
  { kind: 'mcp' as const, customizationId: 'a' },
  { kind: 'client' as const, clientId: 'a' },
  { kind: 'client' as const, clientId: 'b' },
);
const toolInput = fc.oneof(text, fc.constant({ uri: 'ahp-content:/a', sizeHint: 9 }));
const riskAssessment = fc.constantFrom(
  { kind: 'judge' as const, status: 'loading' as const },
  { kind: 'judge' as const, status: 'complete' as const, reason: 'x', safety: 0.5 },
);
const auth = fc.constant({ reason: 'required' as const, resource: { resource: 'r' } });
const result = fc.record(
  { success: flag, pastTenseMessage: text, content },
  { requiredKeys: ['success', 'pastTenseMessage'] },
);
const pendingKind = fc.constantFrom('steering' as const, 'queued' as const);

const changesets = fc.constantFrom([], [{ label: 'l', uriTemplate: 'u', changeKind: 'session' }]);

const chat = fc.oneof(
  {
    arbitrary: action('chat/turnStarted', { turnId, startedAt, message, queuedMessageId: maybe(id) }),
    weight: 4,
  },
  action('chat/turnComplete', { turnId, duration }),
  action('chat/turnCancelled', { turnId, duration }),
  action('chat/error', { turnId, duration, part: errorPart }),
  action('chat/turnResume', { turnId }),
  action('chat/truncated', { turnId: maybe(id) }),
  action('chat/turnsLoaded', { turns: fc.array(turn, { maxLength: 2 }), turnsNextCursor: maybe(id) }),
  { arbitrary: action('chat/responsePart', { turnId, part }), weight: 2 },
  { arbitrary: action('chat/delta', { turnId, partId: id, content: text }), weight: 2 },
  { arbitrary: action('chat/reasoning', { turnId, partId: id, content: text }), weight: 2 },
  action('chat/usage', { turnId, usage: fc.constantFrom({}, { inputTokens: 1 }) }),
  {
    arbitrary: action('chat/toolCallStart', {
      ...call,
      toolName: text,
      displayName: text,
      contributor: maybe(contributor),
    }),
    weight: 3,
  },
  action('chat/toolCallDelta', { ...call, content: maybe(text), invocationMessage: maybe(text) }),
  {
    arbitrary: action('chat/toolCallReady', {
      ...call,
      invocationMessage: text,
      toolInput: maybe(toolInput),
      confirmed: maybe(confirmed),
      options: maybe(options),
      riskAssessment: maybe(riskAssessment),
      contributor: maybe(contributor),
      intention: maybe(text),
    }),
    weight: 4,
  },
  {
    arbitrary: action('chat/toolCallConfirmed', {
      ...call,
      approved: fc.constant<true>(true),
      confirmed,
      editedToolInput: maybe(text),
      selectedOptionId: maybe(id),
    }),
    weight: 2,
  },
  action('chat/toolCallConfirmed', {
    ...call,
    approved: fc.constant<false>(false),
    reason: fc.constantFrom('denied' as const, 'skipped' as const),
    selectedOptionId: maybe(id),
  }),
  action('chat/toolCallContentChanged', { ...call, content }),
  {
    arbitrary: action('chat/toolCallComplete', { ...call, result, requiresResultConfirmation: flag }),
    weight: 2,
  },
  { arbitrary: action('chat/toolCallAuthRequired', { ...call, auth }), weight: 2 },
  action('chat/toolCallAuthResolved', call),
  { arbitrary: action('chat/toolCallResultConfirmed', { ...call, approved: flag }), weight: 2 },
  action('chat/inputRequested', {
    request: fc.record({ id, message: text, answers }, { requiredKeys: ['id'] }),
  }),
  action('chat/inputAnswerChanged', {
    requestId: id,
    questionId: fc.constantFrom('a', 'b', '__proto__'),
    answer: maybe(answer),
  }),
  action('chat/inputCompleted', {
    requestId: id,
    response: fc.constantFrom('accept' as const, 'decline' as const),
    answers: maybe(answers),
  }),
  action('chat/pendingMessageSet', { kind: pendingKind, id, message }),
  action('chat/pendingMessageRemoved', { kind: pendingKind, id }),
  action('chat/queuedMessagesReordered', { order: fc.array(id, { maxLength: 4 }) }),
  action('chat/draftChanged', { draft: maybe(message) }),
  action('chat/isReadChanged', { isRead: flag }),
  action('chat/isArchivedChanged', { isArchived: flag }),
  action('chat/movableChanged', { movable: flag }),
  action('chat/changesetsChanged', { changesets: maybe(changesets) }),
  action('chat/backgroundWorkSet', {
    work: fc.record({
      kind: fc.constant('shell' as const),
      id,
      label: text,
      startedAt: fc.constant('2026-01-01T00:00:00.000Z'),
      command: text,
    }),
  }),
  action('chat/backgroundWorkRemoved', { id }),
  action('chat/canvasesChanged', {
    canvases: maybe(fc.array(fc.record({ resource: id }), { maxLength: 2 })),
  }),
  action('chat/workingDirectorySet', { directory: id }),
  action('chat/workingDirectoryRemoved', { directory: id }),
  action('chat/activityChanged', { activity: maybe(text) }),
);

const summary = fc.record(
  {
    resource: id,
    title: text,
    status,
    modifiedAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    activity: text,
  },
  { requiredKeys: ['resource', 'title', 'status', 'modifiedAt'] },
);
const tools = fc.array(fc.record({ name: id }), { maxLength: 2 });
const named = { id, uri: id, name: text };
const mcpState = fc.constantFrom(
  { kind: 'ready' as const },
  { kind: 'stopped' as const },
  { kind: 'starting' as const, blocking: true },
);
const enablement = fc.subarray([
  { kind: 'session' as const, enabled: false },
  { kind: 'workspace' as const, uri: 'a', enabled: true },
  { kind: 'global' as const, enabled: false },
]);
const mcpServer = fc.record({
  ...named,
  type: fc.constant('mcpServer' as const),
  state: mcpState,
});
const child = fc.oneof(mcpServer, fc.record({ ...named, type: fc.constant('skill' as const) }));
const plugin = fc.record(
  {
    ...named,
    type: fc.constant('plugin' as const),
    enablement,
    children: fc.array(child, { maxLength: 2 }),
  },
  { requiredKeys: ['id', 'uri', 'name', 'type'] },
);
const customization = fc.oneof(mcpServer, plugin);

const runningCall = {
  toolCallId: 'a',
  toolName: 'x',
  displayName: 'X',
  invocationMessage: 'x',
  confirmed: 'not-needed' as const,
};
const inputNeeded = fc.oneof(
  fc.record({ id, chat: id, kind: fc.constant('chatInput' as const), request: fc.record({ id }) }),
  fc.record({
    id,
    chat: id,
    kind: fc.constant('toolClientExecution' as const),
    turnId: id,
    clientId: id,
    toolCall: fc.constant({ ...runningCall, status: 'running' as const }),
  }),
  fc.record({
    id,
    chat: id,
    kind: fc.constant('toolAuthentication' as const),
    turnId: id,
    toolCall: auth.map((given) => ({
      ...runningCall,
      status: 'auth-required' as const,
      contributor: { kind: 'mcp' as const, customizationId: 'a' },
      auth: given,
    })),
  }),
);

const session = fc.oneof(
  action('session/ready', {}),
  action('session/creationFailed', { error }),
  action('session/titleChanged', { title: text }),
  action('session/isReadChanged', { isRead: flag }),
  action('session/isArchivedChanged', { isArchived: flag }),
  action('session/activityChanged', { activity: maybe(text) }),
  action('session/metaChanged', { _meta: maybe(meta) }),
  action('session/serverToolsChanged', { tools }),
  action('session/changesetsChanged', {
    changesets: maybe(changesets),
  }),
  action('session/configChanged', { config: values, replace: maybe(flag) }),
  action('session/chatAdded', { summary }),
  action('session/chatRemoved', { chat: id }),
  action('session/chatUpdated', {
    chat: id,
    changes: fc.record({ title: text, status, resource: id }, { requiredKeys: [] }),
  }),
  action('session/chatsReordered', { chats: fc.array(id, { maxLength: 4 }) }),
  action('session/defaultChatChanged', { defaultChat: maybe(id) }),
  action('session/activeClientSet', {
    activeClient: fc.record(
      { clientId: id, tools, customizations: fc.array(plugin, { maxLength: 1 }) },
      { requiredKeys: ['clientId', 'tools'] },
    ),
  }),
  action('session/activeClientRemoved', { clientId: id }),
  action('session/inputNeededSet', { request: inputNeeded }),
  action('session/inputNeededRemoved', { id }),
  action('session/customizationsChanged', { customizations: fc.array(customization, { maxLength: 2 }) }),
  { arbitrary: action('session/customizationUpdated', { customization }), weight: 3 },
  action('session/customizationRemoved', { id }),
  action('session/customizationToggled', { id, enablement }),
  action('session/mcpServerStateChanged', { id, state: mcpState, channel: maybe(id) }),
  action('session/workingDirectorySet', { directory: id }),
  action('session/workingDirectoryRemoved', { directory: id }),
  action('session/workingDirectoryReplaced', { directory: id, replacement: id }),
  action('session/mcpServerStartRequested', { id }),
  action('session/mcpServerStopRequested', { id }),
  action('session/mcpServerBackgroundRequested', { id }),
);

const claim = fc.constantFrom(
  { kind: 'client' as const, clientId: 'a' },
  { kind: 'session' as const, session: 's', chat: 'c', turnId: 'a' },
);
const terminal = fc.oneof(
  { arbitrary: action('terminal/data', { data: text }), weight: 3 },
  action('terminal/input', { data: text }),
  action('terminal/resized', { cols: fc.constantFrom(80, 100), rows: fc.constant(24) }),
  action('terminal/claimed', { claim }),
  action('terminal/titleChanged', { title: text }),
  action('terminal/cwdChanged', { cwd: id }),
  action('terminal/exited', { exitCode: maybe(fc.constantFrom(0, 1)) }),
  action('terminal/cleared', {}),
  action('terminal/commandDetectionAvailable', {}),
  action('terminal/commandExecuted', { commandId: id, commandLine: text, timestamp: fc.constant(1) }),
  action('terminal/commandFinished', { commandId: id, exitCode: maybe(fc.constantFrom(0, 1)) }),
);

const file = fc.record(
  { id, edit: fc.constantFrom({}, { diff: { added: 1 } }), reviewed: flag },
  { requiredKeys: ['id', 'edit'] },
);
const operationStatus = fc.constantFrom('idle' as const, 'running' as const, 'error' as const);
const operation = fc.record({
  id,
  label: text,
  scopes: fc.constant(['changeset' as const]),
  status: operationStatus,
});
const operations = fc.array(operation, { maxLength: 2 });
const changeset = fc.oneof(
  action('changeset/statusChanged', {
    status: fc.constantFrom('ready' as const, 'recomputing' as const, 'error' as const),
    error: maybe(error),
  }),
  action('changeset/fileSet', { file }),
  action('changeset/fileRemoved', { fileId: id }),
  action('changeset/filesReviewChanged', { files: fc.array(id, { maxLength: 2 }), reviewed: flag }),
  action('changeset/contentChanged', {
    files: fc.array(file, { maxLength: 2 }),
    operations: maybe(operations),
  }),
  action('changeset/operationsChanged', { operations: maybe(operations) }),
  action('changeset/operationStatusChanged', {
    operationId: id,
    status: operationStatus,
    error: maybe(error),
  }),
  action('changeset/cleared', {}),
);

const entry = fc.record({ id, text });
const annotation = fc.record({
  id,
  origin: fc.record({ session: id, turnId: id }, { requiredKeys: ['session'] }),
  resource: id,
  resolved: flag,
  entries: fc.array(entry, { maxLength: 2 }),
});
const annotations = fc.oneof(
  action('annotations/set', { annotation }),
  action('annotations/removed', { annotationId: id }),
  action('annotations/updated', {
    annotationId: id,
    origin: maybe(fc.record({ session: id, chat: id })),
    range: maybe(range),
    resolved: maybe(flag),
  }),
  action('annotations/entrySet', { annotationId: id, entry }),
  action('annotations/entryRemoved', { annotationId: id, entryId: id }),
);

const root = fc.oneof(
  action('root/agentsChanged', { agents: fc.constant([]) }),
  action('root/activeSessionsChanged', { activeSessions: fc.constantFrom(0, 1) }),
  action('root/terminalsChanged', {
    terminals: fc.array(fc.record({ resource: id, title: text, claim }), { maxLength: 1 }),
  }),
  action('root/configChanged', { config: values, replace: maybe(flag) }),
);

const resourceWatch = action('resourceWatch/changed', {
  changes: fc.constant({ items: [{ uri: 'file:///w/a', type: 'added' as const }] }),
});

const run = fc.record({
  resource: id,
  automation: id,
  origin: fc.constant({ kind: 'manual' as const }),
  lifecycle: fc.constant({ status: 'pending' as const, createdAt: '2026-01-01T00:00:00.000Z' }),
  sessionCount: fc.constantFrom(0, 1),
});
const definition = fc.record({
  title: text,
  message,
  session: fc.constant({}),
  enabled: flag,
  triggers: fc.constant([]),
});
const automation = fc.oneof(
  {
    arbitrary: action('automation/set', {
      automation: fc.record({
        resource: id,
        definition,
        runs: fc.array(run, { maxLength: 2 }),
        operations: fc.constant(['run' as const]),
        createdAt: fc.constant('2026-01-01T00:00:00.000Z'),
        modifiedAt: fc.constant('2026-01-01T00:00:00.000Z'),
      }),
    }),
    weight: 3,
  },
  action('automation/removed', { resource: id }),
  action('automation/createRequested', { resource: id, definition }),
  action('automation/updateRequested', { resource: id, changes: fc.record({ title: text }) }),
);
const automationRun = fc.oneof(
  action('automationRun/lifecycleChanged', {
    lifecycle: fc.constantFrom(
      { status: 'pending' as const, createdAt: '2026-01-01T00:00:00.000Z' },
      {
        status: 'running' as const,
        createdAt: '2026-01-01T00:00:00.000Z',
        startedAt: '2026-01-01T00:00:01.000Z',
      },
    ),
  }),
  action('automationRun/sessionSet', { session: id }),
  action('automationRun/sessionRemoved', { session: id }),
  action('automationRun/primarySessionChanged', { primarySession: maybe(id) }),
  action('automationRun/cancelRequested', {}),
);
const canvas = action('canvas/stateChanged', {
  canvas: fc.record({ instanceId: id, extensionId: id, canvasId: id, title: text }),
});

/** Actions of every type for each kind of channel, with few ids and texts. */
export const ACTION_ARBITRARIES: {
  readonly [K in ChannelKind]: fc.Arbitrary<ChannelAction[K]>;
} = {
  root,
  session,
  chat,
  terminal,
  changeset,
  annotations,
  resourceWatch,
  automation,
  automationRun,
  canvas,
};

const schema = { type: 'object' as const, properties: {} };

/** The initial state of each kind of channel. */
export const START_STATES: ChannelState = {
  root: { agents: [], config: { schema, values: {} } },
  session: {
    provider: 'demo',
    title: '',
    status: 1,
    lifecycle: 'creating',
    activeClients: [],
    chats: [],
    config: { schema, values: {} },
  },
  chat: { resource: 'ahp-chat:/a', title: '', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z', turns: [] },
  terminal: {
    title: '',
    content: [],
    lifecycle: { status: 'running' },
    claim: { kind: 'client', clientId: 'a' },
  },
  changeset: { status: 'computing', files: [] },
  annotations: { annotations: [] },
  resourceWatch: { root: 'file:///w', recursive: true },
  automation: { entries: [] },
  automationRun: {
    resource: 'ahp-automation-run:/a',
    automation: 'ahp-automation:/a',
    origin: { kind: 'manual' },
    lifecycle: { status: 'pending', createdAt: '2026-01-01T00:00:00.000Z' },
    sessions: [],
  },
  canvas: { instanceId: 'a', extensionId: 'a', canvasId: 'a' },
};
