import { expect, it } from 'vitest';
import { startHost } from '../../test/host-fixture.ts';
import type { Tx } from './tx.ts';

it('[ACT-8] an observer that throws leaves a channel unchanged, with the text of the same tick', async () => {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  const message = { text: 'hi', origin: { kind: 'user' as const } };
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message,
  });
  const { sync } = host.host.core;
  const channel = sync.registry.getOf('chat', chat);
  if (channel === undefined) throw new Error('not in memory');
  const part = { kind: 'markdown', id: 'p', content: 'a' } as const;
  sync.transact('host', (tx) => tx.emit(channel, { type: 'chat/responsePart', turnId: 't', part }));
  await host.run();
  const delta = (content: string) => ({ type: 'chat/delta', turnId: 't', partId: 'p', content }) as const;
  sync.observe('chat', (tx, { action }) => {
    if (action.type === 'chat/turnComplete') throw new Error('an observer broke');
  });
  sync.transact('host', (tx) => tx.emit(channel, delta('b')));
  const before = { seq: channel.seq, emittedSeq: sync.emittedSeq };
  expect(() =>
    sync.transact('host', (tx) => {
      tx.emit(channel, delta('never'));
      tx.emit(channel, { type: 'chat/turnComplete', turnId: 't', duration: 0 });
    }),
  ).toThrow('an observer broke');
  expect({ seq: channel.seq, emittedSeq: sync.emittedSeq }).toStrictEqual(before);
  sync.transact('host', (tx) => tx.emit(channel, delta('c')));
  await host.run();
  const expected = { activeTurn: { responseParts: [{ id: 'p', content: 'abc' }] } };
  expect(channel.state).toMatchObject(expected);
  expect((await client.subscribe(chat)).state).toMatchObject(expected);
  await host.restart();
  const again = await host.client('again');
  expect((await again.subscribe(chat)).state).toMatchObject({
    turns: [{ state: 'error', responseParts: [{ id: 'p', content: 'abc' }, { kind: 'error' }] }],
  });
});

it('[ACT-8] a transaction that has ended changes no channel', async () => {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  const { sync } = host.host.core;
  const channel = sync.registry.getOf('chat', chat);
  if (channel === undefined) throw new Error('not in memory');
  const kept: Tx[] = [];
  sync.transact('host', (tx) => void kept.push(tx));
  const look = () => ({ ...channel, state: channel.state, hostData: channel.hostData, seq: channel.seq });
  const before = { ...look(), emittedSeq: sync.emittedSeq };
  const [tx] = kept;
  const late = { type: 'chat/draftChanged', draft: { text: 'late', origin: { kind: 'user' } } } as const;
  for (const use of [
    () => tx?.emit(channel, late),
    () => tx?.emitUnloaded<'chat'>('ahp-chat:/elsewhere', late),
    () => tx?.setHostData(channel, { ...channel.hostData, turnCount: 7 }),
    () => tx?.setWindow(channel, { ...channel.state, title: 'late' }),
  ])
    expect(use).toThrow('the transaction was used after its cause had ended');
  expect({ ...look(), emittedSeq: sync.emittedSeq }).toStrictEqual(before);
});
