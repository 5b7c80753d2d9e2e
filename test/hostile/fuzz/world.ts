import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RudeClient } from '../rude-client.ts';
import type { Pools } from './schema-values.ts';

export const ROOT = 'ahp-root://';
export const POLITE = 'polite';
export const FUZZER = 'fuzzer';

/** Ids with path tricks, to reach the namespace of another channel. */
const ODD_IDS = [
  'a/../b',
  '%2e%2e',
  'a%2Fb',
  'q?x=1',
  'h#y',
  'c:d',
  '..',
  '\u0430dmin',
  'busy/annotations',
  '~',
  '*',
];

/** The content of the fuzzed host. */
export interface World {
  /** URIs of the channels at the start. */
  readonly channels: readonly string[];
  readonly chats: readonly string[];
  readonly pools: Pools;
}

/** Makes sessions with pending approvals, questions, queues and a history, and makes terminals. Nothing in them changes by itself. */
export async function makeWorld(polite: RudeClient, folder: string): Promise<World> {
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\n');
  await symlink('/etc/passwd', join(folder, 'out'));
  await symlink('loop', join(folder, 'loop'));
  const chats = [
    await sessionThat(polite, 'busy', 'ask options', (state) => hasCall(state, 'pending-confirmation')),
    await sessionThat(polite, 'editing', 'ask edit', (state) => hasCall(state, 'pending-confirmation')),
    await sessionThat(polite, 'asking', 'question form', (state) => openRequestIds(state).length > 0),
    await sessionThat(
      polite,
      'done',
      'say it',
      (state) => state['activeTurn'] === undefined && list(state, 'turns').length === 1,
    ),
  ];
  const [busy = '', , , done = ''] = chats;
  for (const id of ['q1', 'q2'])
    polite.dispatch(busy, {
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id,
      message: message('say queued'),
    });
  for (let turn = 2; turn < 12; turn += 1) {
    polite.dispatch(done, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: `t${turn}`,
      message: message(`say ${turn}`),
    });
    await stateOf(polite, done, (state) => list(state, 'turns').length === turn);
  }
  const terminals = ['ahp-terminal:/mine', 'ahp-terminal:/shared'];
  const claims = [
    { kind: 'client', clientId: POLITE },
    { kind: 'session', session: 'ahp-session:/busy', chat: busy },
  ];
  for (const [index, channel] of terminals.entries())
    await succeed(polite, 'createTerminal', { channel, claim: claims[index], 'x-command': ['cat'] });
  const sessions = ['busy', 'editing', 'asking', 'done'].map((id) => `ahp-session:/${id}`);
  const channels = [ROOT, ...sessions, ...chats, ...terminals];
  return { channels, chats, pools: await poolsOf(polite, { folder, sessions, chats, terminals }) };
}

const message = (text: string): object => ({ text, origin: { kind: 'user' } });

async function sessionThat(
  polite: RudeClient,
  id: string,
  prompt: string,
  isThere: (state: Record<string, unknown>) => boolean,
): Promise<string> {
  const channel = `ahp-session:/${id}`;
  await succeed(polite, 'createSession', { channel, provider: 'demo' });
  const session = await stateOf(polite, channel, (state) => state['lifecycle'] === 'ready');
  const chat = String(session['defaultChat']);
  polite.dispatch(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't1',
    message: message(prompt),
  });
  await stateOf(polite, chat, isThere);
  return chat;
}

/** Resolves with the state of a channel when it fulfils the condition. */
export async function stateOf(
  client: RudeClient,
  channel: string,
  isThere: (state: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  for (;;) {
    const state = JSON.parse(JSON.stringify(await succeed(client, 'subscribe', { channel }))).snapshot.state;
    if (isThere(state)) return state;
  }
}

export async function succeed(client: RudeClient, method: string, params: object): Promise<unknown> {
  const { result, error } = await client.request(method, params);
  if (error !== undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
  return result;
}

const list = (state: object, name: string): readonly unknown[] => {
  const value: unknown = Reflect.get(state, name);
  return Array.isArray(value) ? value : [];
};

const hasCall = (state: object, status: string): boolean =>
  JSON.stringify(state).includes(`"status":"${status}"`);

/** Ids of the open input requests of a chat. */
const openRequestIds = (state: Record<string, unknown>): string[] =>
  list(state['activeTurn'] ?? {}, 'responseParts')
    .filter((part) => JSON.stringify(part).startsWith('{"kind":"inputRequest"'))
    .flatMap((part) => idsIn(part, 'id').slice(0, 1));

const idsIn = (state: unknown, name: string): string[] =>
  [...JSON.stringify(state).matchAll(new RegExp(`"${name}":"([^"\\\\]+)"`, 'g'))].map(([, id = '']) => id);

async function poolsOf(
  polite: RudeClient,
  at: { folder: string; sessions: readonly string[]; chats: readonly string[]; terminals: readonly string[] },
): Promise<Pools> {
  const { sessions, chats, terminals } = at;
  const states: Record<string, unknown>[] = [];
  for (const chat of chats) states.push(await stateOf(polite, chat));
  const calls = states.flatMap((state) => idsIn(state, 'toolCallId'));
  const requests = states.flatMap(openRequestIds);
  const options = states.flatMap((state) => idsIn(state, 'id'));
  const turns = ['t1', 't2', 't5', 't11', 't99', 'f1', 'f2'];
  const fresh = (kind: string): string[] => ['f1', 'f2', 'f3', ...ODD_IDS].map((id) => `ahp-${kind}:/${id}`);
  const all = [ROOT, ...sessions, ...chats, ...terminals];
  const base = pathToFileURL(at.folder).href;
  const files = [
    '',
    '/a.txt',
    '/sub',
    '/none',
    '/out',
    '/loop',
    '/../..',
    '/sub/%2e%2e/a.txt',
    '/a%00.txt',
    '/a%2ftxt',
    '/%ff',
  ].map((path) => base + path);
  const uris = [
    ...files,
    'file:///dev/zero',
    'file:///proc/self/environ',
    'file://server/share/x',
    'file:///C:/x',
    'http://example.test/',
  ];
  return {
    channel: [
      ...all,
      ...sessions,
      ...chats,
      ...fresh('session'),
      ...fresh('chat'),
      ...fresh('terminal'),
      'ahp-otlp:logs',
      'mcp://x',
      'ahp-session:/busy/annotations',
    ],
    'createSession.channel': fresh('session'),
    'createTerminal.channel': fresh('terminal'),
    'x-importSession.channel': fresh('session'),
    chat: [...chats, ...fresh('chat')],
    session: [...sessions, ...fresh('session')],
    resource: [...all, ...uris],
    initialSubscriptions: all,
    subscriptions: all,
    uri: uris,
    workingDirectory: [base, `${base}/sub`, ...uris],
    workingDirectories: [base, `${base}/sub`, ...uris],
    directory: [base, `${base}/sub`, ...uris],
    replacement: [base, `${base}/sub`, ...uris],
    cwd: [base, ...uris],
    provider: ['demo', 'none'],
    clientId: [FUZZER, POLITE, 'nobody'],
    turnId: turns,
    before: turns,
    queuedMessageId: ['q1', 'q2', 'f1'],
    toolCallId: [...calls, 'none'],
    requestId: [...requests, 'none'],
    id: ['q1', 'q2', 'f1', ...requests, ...options],
    selectedOptionId: [...options, 'none'],
    order: [['q2', 'q1'], ['q1', 'q1', 'none'], []],
    text: [
      'say hi',
      'ask',
      'ask edit',
      'question text',
      'stream 3',
      'parts 3',
      'fail',
      'title x',
      'usage 1 2',
      'wait 5',
      'tool f {"a":1}',
      'read a.txt',
      'big 4',
    ],
    query: ['say', 'it', '"say it"'],
    'x-command': [
      ['cat'],
      ['cat'],
      ['true'],
      ['/no/such/program'],
      [''],
      [],
      ['cat', 'nul\0'],
      ['cat', '--', '..'],
    ],
    'x-env': [{ A: 'b' }, { 'A B': 'c' }, { PATH: '' }, { A: 'nul\0' }],
    title: ['a title', ''],
    protocolVersions: [['1.0.0'], ['0.5.2'], ['9.9.9', '0.5.1'], [], ['x']],
    config: [{}, { approvals: 'ask' }, { approvals: 'x' }, { none: 1 }],
    maxLatencyMs: [0, 5, 1_000],
    limit: [1, 20, 100, 0],
    offset: [0, 1, 6],
    isRead: [true, false],
    signal: ['INT', 'TERM'],
  };
}
