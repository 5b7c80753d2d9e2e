import type { ClientActionType, TokenScope } from '@agenthost/protocol';
import { SESSION } from './host-fixture.ts';

/** A message of a person. */
export const message = { text: 'hello', origin: { kind: 'user' } } as const;
/** An annotation of the fixture session. */
export const annotation = {
  id: 'a',
  origin: { session: SESSION },
  resource: 'file:///a',
  resolved: false,
  entries: [{ id: 'e', text: 'why' }],
} as const;
const option = { turnId: 'open', toolCallId: 'call' } as const;

/**
 * The least scope of each action, written independently of the product, with its channel and the action. Left out are the
 * kinds of channel that this host does not have.
 */
type Actions = {
  readonly [T in Exclude<
    ClientActionType,
    `automation/${string}` | `automationRun/${string}` | `changeset/${string}`
  >]: readonly [TokenScope, 'root' | 'session' | 'chat' | 'terminal' | 'annotations', object];
};

/** An action of each type, with its least scope and the kind of its channel. */
export const ACTIONS = {
  'root/configChanged': ['admin', 'root', { config: { maxTerminals: 3 } }],
  'session/titleChanged': ['interact', 'session', { title: 'x' }],
  'session/isReadChanged': ['interact', 'session', { isRead: false }],
  'session/isArchivedChanged': ['interact', 'session', { isArchived: true }],
  'session/activeClientSet': ['interact', 'session', { activeClient: { clientId: 'ME', tools: [] } }],
  'session/activeClientRemoved': ['interact', 'session', { clientId: 'owner' }],
  'session/customizationToggled': ['interact', 'session', { id: 'c', enablement: [] }],
  'session/mcpServerStartRequested': ['interact', 'session', { id: 'c' }],
  'session/mcpServerStopRequested': ['interact', 'session', { id: 'c' }],
  'session/mcpServerBackgroundRequested': ['interact', 'session', { id: 'c' }],
  'session/configChanged': ['interact', 'session', { config: { approvals: 'none' } }],
  'session/workingDirectorySet': ['interact', 'session', { directory: 'file:///' }],
  'session/workingDirectoryRemoved': ['interact', 'session', { directory: 'file:///' }],
  'session/workingDirectoryReplaced': [
    'interact',
    'session',
    { directory: 'file:///', replacement: 'file:///x' },
  ],
  'chat/workingDirectorySet': ['interact', 'chat', { directory: 'file:///' }],
  'chat/workingDirectoryRemoved': ['interact', 'chat', { directory: 'file:///' }],
  'chat/turnStarted': ['interact', 'chat', { turnId: 'new', startedAt: '2026-01-01T00:00:00.000Z', message }],
  'chat/toolCallConfirmed': ['interact', 'chat', { ...option, approved: true, confirmed: 'user-action' }],
  'chat/toolCallComplete': [
    'interact',
    'chat',
    { ...option, result: { success: true, pastTenseMessage: 'x' } },
  ],
  'chat/toolCallResultConfirmed': ['interact', 'chat', { ...option, approved: true }],
  'chat/toolCallContentChanged': ['interact', 'chat', { ...option, content: [] }],
  'chat/turnCancelled': ['interact', 'chat', { turnId: 'open', duration: 0 }],
  'chat/turnResume': ['interact', 'chat', { turnId: 'open' }],
  'chat/truncated': ['interact', 'chat', {}],
  'chat/pendingMessageSet': ['interact', 'chat', { kind: 'queued', id: 'q2', message }],
  'chat/pendingMessageRemoved': ['interact', 'chat', { kind: 'queued', id: 'q' }],
  'chat/queuedMessagesReordered': ['interact', 'chat', { order: ['q'] }],
  'chat/draftChanged': ['interact', 'chat', { draft: message }],
  'chat/inputAnswerChanged': ['interact', 'chat', { requestId: 'r', questionId: 'q' }],
  'chat/inputCompleted': ['interact', 'chat', { requestId: 'r', response: 'decline' }],
  'chat/isReadChanged': ['interact', 'chat', { isRead: true }],
  'chat/isArchivedChanged': ['interact', 'chat', { isArchived: true }],
  'annotations/set': ['interact', 'annotations', { annotation }],
  'annotations/updated': ['interact', 'annotations', { annotationId: 'a', resolved: true }],
  'annotations/removed': ['interact', 'annotations', { annotationId: 'a' }],
  'annotations/entrySet': ['interact', 'annotations', { annotationId: 'a', entry: { id: 'e', text: 'x' } }],
  'annotations/entryRemoved': ['interact', 'annotations', { annotationId: 'a', entryId: 'none' }],
  'terminal/input': ['interact', 'terminal', { data: 'rm -rf /\r' }],
  'terminal/resized': ['interact', 'terminal', { cols: 90, rows: 20 }],
  'terminal/claimed': ['interact', 'terminal', { claim: { kind: 'client', clientId: 'ME' } }],
  'terminal/titleChanged': ['interact', 'terminal', { title: 'x' }],
  'terminal/cleared': ['interact', 'terminal', {}],
} as const satisfies Actions;
