import {
  type ClientRequestMethod,
  type ClientToHostRequests,
  ROOT_URI,
  SessionStatus,
  type TokenScope,
} from '@agenthost/protocol';
import { SESSION } from './host-fixture.ts';

const CHAT = 'ahp-chat:/c';
const TERMINAL = 'ahp-terminal:/t';
const FILE = 'file:///tmp/agenthost-none';
const root = { channel: ROOT_URI } as const;
const time = '2026-01-01T00:00:00Z';
const head = { title: '', status: SessionStatus.Idle };

/** The least scope of each call, written independently of the product, with params that fit its schema. */
type Calls = {
  readonly [M in Exclude<ClientRequestMethod, 'initialize' | 'reconnect'>]: readonly [
    TokenScope,
    ClientToHostRequests[M]['params'],
  ];
};

/** A call of each method, and its least scope. */
export const CALLS = {
  ping: ['observe', root],
  subscribe: ['observe', { channel: SESSION }],
  listSessions: ['observe', root],
  fetchTurns: ['observe', { channel: CHAT }],
  'x-searchSessions': ['observe', { ...root, query: 'x' }],
  'x-listApprovals': ['observe', root],
  'x-listGrants': ['interact', root],
  'x-revokeGrant': ['interact', { ...root, id: 'x' }],
  'x-listWorktrees': ['interact', root],
  'x-createWorktree': ['interact', { channel: SESSION }],
  'x-mergeWorktree': ['interact', { ...root, id: 'x' }],
  'x-openWorktree': ['interact', { ...root, id: 'x' }],
  'x-removeWorktree': ['interact', { ...root, id: 'x' }],
  'x-answerGrant': ['admin', { ...root, id: 'x', isGranted: true }],
  'x-diskUse': ['observe', { channel: SESSION }],
  'x-listMcpServers': ['interact', { channel: SESSION }],
  'x-decideMcpServer': ['interact', { channel: SESSION, id: 'x', runs: 'x' }],
  'x-startMcpSignIn': ['interact', { channel: SESSION, id: 'x', redirectUri: 'http://localhost/' }],
  'x-finishMcpSignIn': ['interact', { channel: SESSION, state: 'x', code: 'x' }],
  'x-listPorts': ['observe', root],
  'x-openPreview': ['interact', { channel: SESSION, port: 5173 }],
  'x-setPresence': ['observe', { ...root, isVisible: false }],
  'x-pushKey': ['observe', root],
  'x-subscribePush': [
    'observe',
    { ...root, device: 'x', subscription: { endpoint: 'x', keys: { p256dh: 'x', auth: 'x' } } },
  ],
  'x-listPush': ['observe', root],
  'x-updatePush': ['observe', { ...root, id: 'x' }],
  'x-revokePush': ['observe', { ...root, id: 'x' }],
  'x-testPush': ['observe', { ...root, id: 'x' }],
  resourceRead: ['interact', { ...root, uri: FILE }],
  resourceList: ['interact', { ...root, uri: FILE }],
  resourceResolve: ['interact', { ...root, uri: FILE }],
  resourceWrite: ['interact', { ...root, uri: FILE, data: '', encoding: 'utf-8' }],
  resourceCopy: ['interact', { ...root, source: FILE, destination: FILE }],
  resourceMove: ['interact', { ...root, source: FILE, destination: FILE }],
  resourceDelete: ['interact', { ...root, uri: FILE }],
  resourceMkdir: ['interact', { ...root, uri: FILE }],
  resourceRequest: ['interact', { ...root, uri: FILE }],
  createResourceWatch: ['interact', { ...root, uri: FILE }],
  resolveSessionConfig: ['interact', root],
  sessionConfigCompletions: ['interact', { ...root, property: 'x' }],
  completions: ['interact', { channel: CHAT, kind: 'userMessage', text: '', offset: 0 }],
  authenticate: ['interact', { ...root, resource: 'https://example.org', token: 'x' }],
  'x-beginSignIn': ['interact', { ...root, resource: 'https://example.org' }],
  'x-finishSignIn': ['interact', { ...root, id: 'x' }],
  createSession: ['interact', { channel: 'ahp-session:/new' }],
  disposeSession: ['interact', { channel: SESSION }],
  createChat: ['interact', { channel: SESSION, chat: 'ahp-chat:/new' }],
  disposeChat: ['interact', { channel: CHAT }],
  moveChat: ['interact', { channel: CHAT, destination: { kind: 'newSession' } }],
  runAutomation: [
    'interact',
    { channel: 'ahp-automations://', automation: 'ahp-automation:/a', requestId: 'r' },
  ],
  fetchAutomationRuns: ['observe', { channel: 'ahp-automations://', automation: 'ahp-automation:/a' }],
  listAutomationTriggerDefinitions: ['interact', root],
  createTerminal: [
    'interact',
    { channel: TERMINAL, claim: { kind: 'session', session: SESSION, chat: 'ahp-chat:/none' } },
  ],
  disposeTerminal: ['interact', { channel: TERMINAL }],
  'x-signalTerminal': ['interact', { channel: TERMINAL, signal: 'KILL' }],
  invokeChangesetOperation: ['interact', { channel: 'ahp-changeset:/x', operationId: 'x' }],
  'x-hostDiskUse': ['observe', root],
  'x-drainHost': ['admin', { ...root, timeoutSeconds: 0 }],
  'x-backup': ['admin', { ...root, file: '/none/x' }],
  'x-checkHost': ['admin', root],
  'x-listAgents': ['observe', root],
  'x-revokeApproval': ['interact', { ...root, id: 'x' }],
  'x-importSession': [
    'admin',
    {
      channel: 'ahp-session:/imported',
      session: { ...head, resource: SESSION, provider: 'puppet', lifecycle: 'ready' },
      chats: [{ ...head, resource: CHAT, modifiedAt: time }],
    },
  ],
  'x-importTurns': ['admin', { channel: 'ahp-session:/imported', chat: CHAT, turns: [] }],
  'x-finishImport': ['admin', { channel: 'ahp-session:/imported' }],
  'x-setAgentKey': ['admin', { ...root, provider: 'puppet', apiKey: 'x' }],
  'x-createToken': ['admin', root],
  'x-listTokens': ['admin', root],
  'x-revokeToken': ['admin', { ...root, id: 'x' }],
  'x-setSessionRole': ['admin', { ...root, session: SESSION, person: 'x' }],
  'x-listSessionRoles': ['admin', root],
} as const satisfies Calls;
