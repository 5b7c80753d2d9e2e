import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readExport } from './json-export.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'export-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const message = { text: 'hi', origin: { kind: 'user' } };

test('[DIA-6] an export of version 1 is read in the types of the present protocol', async () => {
  const path = join(folder, 'old.json');
  const chat = {
    resource: 'ahp-chat:/1',
    title: 'Old',
    status: 1,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    workingDirectory: 'file:///w',
    inputRequests: [{ id: 'q', message: 'Which?' }],
  };
  const error = { errorType: 'agentError', message: 'broken' };
  const turn = { id: 't1', message, responseParts: [], state: 'error', error };
  const openTurn = { turn: { id: 't2', message, responseParts: [] } };
  writeFileSync(
    path,
    JSON.stringify({
      format: 'agenthost-session',
      version: 1,
      session: { resource: 'ahp-session:/1', provider: 'demo', title: 'Old', lifecycle: 'creationFailed' },
      chats: [{ ...chat, turns: [{ turn }], openTurn }],
    }),
  );
  const { session, chats, turns } = await readExport(path);
  expect(session).toMatchObject({ lifecycle: 'failed' });
  expect(chats).toMatchObject([{ workingDirectories: ['file:///w'] }]);
  const read: unknown[] = [];
  for await (const each of turns) read.push(each.turn?.turn ?? each.openTurn?.turn);
  expect(read).toEqual([
    { id: 't1', message, state: 'error', responseParts: [{ kind: 'error', error }] },
    {
      id: 't2',
      message,
      startedAt: chat.modifiedAt,
      responseParts: [{ kind: 'inputRequest', request: { id: 'q', message: 'Which?' } }],
    },
  ]);
});
