import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  CHANNEL_KINDS,
  type ChannelKind,
  type ChatState,
  kindOfScheme,
  type SessionState,
  type Snapshot,
  type TerminalState,
} from '@agenthost/protocol';
import { validateState } from '@agenthost/protocol/validate-peer';
import { expect, onTestFinished, test } from 'vitest';
import { hashToken } from '../src/auth/verify.ts';
import { SqliteJournal } from '../src/journal/sqlite/sqlite-journal.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/**
 * The journal of a host at version 0.5.2 that was killed: a session with a completed, a failed and a changed file's turn, an answered input
 * request, a draft, a fork and three terminals; and one whose turn waits for an answer, with a queued message. No channel's state reflects all
 * of its envelopes.
 */
const JOURNAL = fileURLToPath(new URL('./journals/0.5.2.db.gz', import.meta.url));

async function open(): Promise<{ host: HostFixture; client: RawClient }> {
  const root = mkdtempSync(join(tmpdir(), 'agenthost-older-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'data');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'journal.db'), gunzipSync(readFileSync(JOURNAL)), { mode: 0o600 });
  const journal = new SqliteJournal({ folder, now: () => Date.parse('2026-11-24'), bootId: () => 'boot' });
  const host = await startHost({ journal });
  return { host, client: await host.client('new') };
}

const kindOf = (uri: string): ChannelKind => {
  const kind = CHANNEL_KINDS.find((known) => known === kindOfScheme(uri));
  if (kind === undefined) throw new Error(`${uri} is no channel`);
  return kind;
};

/** The state of a channel, checked by the rules of version 1.0. */
const stateOf = async <S extends Snapshot['state']>(client: RawClient, uri: string): Promise<S> => {
  const { state } = await client.subscribe(uri);
  expect(validateState(kindOf(uri), state)).toMatchObject({ ok: true });
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion -- the kind follows from the URI
  return state as S;
};

test('[DIA-6] a failed turn gets an error part, and the output of a command without a terminal is text', async () => {
  const { client } = await open();
  const session = await stateOf<SessionState>(client, 'ahp-session:/one');
  expect(session).toMatchObject({ workingDirectories: ['file:///tmp/old-work'], lifecycle: 'ready' });
  expect(session).not.toHaveProperty('workingDirectory');
  const chat = await stateOf<ChatState>(client, session.defaultChat ?? '');
  expect(chat.turns.map(({ id, state }) => [id, state])).toEqual([
    ['t1', 'complete'],
    ['t2', 'complete'],
    ['t3', 'complete'],
    ['t4', 'error'],
    ['t5', 'complete'],
  ]);
  const failed = chat.turns[3];
  expect(failed).not.toHaveProperty('error');
  expect(failed?.responseParts.at(-1)).toMatchObject({ kind: 'error', error: { errorType: 'demoFailed' } });
  expect(chat.draft).toMatchObject({ text: 'a draft' });
  expect(JSON.stringify(chat)).not.toContain('"terminalComplete"');
  expect(chat.turns[1]?.responseParts[0]).toMatchObject({
    kind: 'toolCall',
    toolCall: { status: 'completed', content: [{ type: 'text' }] },
  });
  expect(chat.turns[4]?.responseParts[0]).toMatchObject({ kind: 'inputRequest', response: 'accept' });
});

test('[DIA-6] a fork of such a chat shares its turns', async () => {
  const { client } = await open();
  const fork = await stateOf<ChatState>(client, 'ahp-chat:/fork');
  expect(fork.turns.map(({ id }) => id)).toEqual(['t1', 't2', 't3']);
  expect(fork.origin).toMatchObject({ kind: 'fork', turnId: 't3' });
});

test('[DIA-6] an open question is a part of the turn that was cut off, and the queue is kept', async () => {
  const { client } = await open();
  const session = await stateOf<SessionState>(client, 'ahp-session:/two');
  const chat = await stateOf<ChatState>(client, session.defaultChat ?? '');
  expect(chat).not.toHaveProperty('inputRequests');
  expect(chat.activeTurn).toBeUndefined();
  const [first, cut] = chat.turns;
  expect(first).toMatchObject({ id: 'u1', state: 'complete' });
  expect(cut).toMatchObject({
    id: 'u2',
    state: 'error',
    startedAt: expect.stringMatching(/^2026-/),
    duration: expect.any(Number),
    responseParts: [{ kind: 'inputRequest' }, { kind: 'error', error: { errorType: 'hostRestarted' } }],
  });
  expect(cut?.responseParts[0]).not.toHaveProperty('response');
  expect(chat.queuedMessages).toMatchObject([{ id: 'q1' }]);
});

test('[DIA-6] terminals run or have ended, and the catalogue has lists of directories', async () => {
  const { client } = await open();
  const ended = await stateOf<TerminalState>(client, 'ahp-terminal:/ended');
  expect(ended).toMatchObject({ lifecycle: { status: 'exited', exitCode: 3 } });
  expect(ended).not.toHaveProperty('exitCode');
  const root = await stateOf(client, ROOT);
  expect(JSON.stringify(root)).not.toMatch(/"lifecycle":\{"status":"running"\}/);
  const { items } = await client.request('listSessions', { channel: ROOT });
  expect(items.map(({ resource, workingDirectories }) => [resource, workingDirectories])).toEqual([
    ['ahp-session:/two', ['file:///tmp/old-work']],
    ['ahp-session:/one', ['file:///tmp/old-work']],
  ]);
});

test('[DIA-6] a client of before gets snapshots', async () => {
  const { host } = await open();
  const client = host.connect('old', { tokenHash: hashToken('t'.repeat(40)), scope: 'admin' });
  const result = await client.reconnect(80, [ROOT, 'ahp-session:/one'], { 'x-epoch': 'e' });
  expect(result).toMatchObject({ type: 'snapshot' });
});
