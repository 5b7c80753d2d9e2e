import type { ExportedChatHead, ExportedSession, Turn } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { type ImportPort, importSession } from './session-import.ts';

const message = { text: 'Bake', origin: { kind: 'user' as const } };
const error = { errorType: 'agentError', message: 'broken' };

/** A value of version 1 in a place for one of the present types. */
const old = <T>(value: object): T => JSON.parse(JSON.stringify(value));

test('an export of version 1 is imported in the present types', async () => {
  const requests: unknown[] = [];
  const port = {
    request: (method: string, params: object) => {
      requests.push({ method, ...params });
      return Promise.resolve({ chats: [{ source: 'ahp-chat:/old', chat: 'ahp-chat:/new' }] });
    },
  };
  const turn = old<Turn>({ id: 't1', message, responseParts: [], state: 'error', error });
  const source = {
    version: 1,
    session: old<ExportedSession>({ resource: 'ahp-session:/1', provider: 'p', lifecycle: 'creationFailed' }),
    chats: [old<ExportedChatHead>({ resource: 'ahp-chat:/old', workingDirectory: 'file:///w' })],
    turns: [{ chat: 'ahp-chat:/old', turn: { turn } }],
  };
  await importSession(Object.assign(old<ImportPort>({}), port), 'ahp-session:/2', source, {});
  expect(requests).toMatchObject([
    {
      method: 'x-importSession',
      session: { lifecycle: 'failed' },
      chats: [{ workingDirectories: ['file:///w'] }],
    },
    {
      method: 'x-importTurns',
      turns: [{ turn: { id: 't1', responseParts: [{ kind: 'error', error }] } }],
    },
    { method: 'x-finishImport' },
  ]);
});
