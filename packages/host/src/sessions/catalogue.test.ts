import { type ChatSummary, type SessionState, SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { summarize } from './catalogue.ts';

const chat = (resource: string, status: number): ChatSummary => ({
  resource,
  title: '',
  status,
  modifiedAt: '2026-01-01T00:00:00.000Z',
});

const state = (status: number, statuses: readonly number[]): SessionState => ({
  provider: 'demo',
  title: '',
  status,
  lifecycle: 'ready',
  activeClients: [],
  chats: statuses.map((each, index) => chat(`ahp-chat:/${index}`, each)),
  defaultChat: 'ahp-chat:/0',
  config: { schema: { type: 'object', properties: {} }, values: { metadata: { ticket: '42' } } },
});

const { Idle, InProgress, IsRead } = SessionStatus;

test.each(['creating', 'failed'] as const)('[SESS-5] an entry shows that its session is %s', (lifecycle) => {
  const summary = summarize(
    'ahp-session:/s',
    { ...state(Idle, [Idle]), lifecycle },
    '2026-01-01T00:00:00.000Z',
  );
  expect(summary._meta).toEqual({ metadata: { ticket: '42' }, lifecycle });
});

test.each([
  ['two others work', Idle, [Idle, InProgress, InProgress], { workingChats: 2 }],
  ['nothing runs', Idle, [Idle, Idle], {}],
  ['its status says it', InProgress, [InProgress, InProgress], {}],
])(
  '[SESS-5] an entry has the status of the default chat and counts other working chats: %s',
  (_title, status, chats, counted) => {
    const summary = summarize('ahp-session:/s', state(status | IsRead, chats), '2026-01-01T00:00:00.000Z');
    expect(summary).toMatchObject({ status: status | IsRead });
    expect(summary._meta).toEqual({ metadata: { ticket: '42' }, ...counted });
  },
);
