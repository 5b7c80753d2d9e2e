import type { ChatState, Message, MessageResourceAttachment } from '@agenthost/protocol';
import { completedTurn, turnStarted, userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT, SESSION } from './host-fixture.ts';
import { chatOf, inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { steered } from './steered.ts';

/** A photo of 6.1 MB in base64; no text. */
const data = Buffer.alloc(4_600_000, 0xf0).toString('base64');
const photo = {
  type: 'embeddedResource',
  label: 'photo.png',
  contentType: 'image/png',
  displayKind: 'image',
  _meta: { from: 'phone' },
  data,
} as const;
const message = (text = 'look'): Message => ({ ...userMessage(text), attachments: [photo] });

/** Shorter than any envelope or snapshot with the photo inside. */
const SHORT = 20_000;

const queued = (id: string, what: Message = message()) =>
  ({ type: 'chat/pendingMessageSet', kind: 'queued', id, message: what }) as const;

/** The reference in place of the photo. */
function referenceIn(found: Message | undefined): MessageResourceAttachment {
  const [attachment] = found?.attachments ?? [];
  if (attachment?.type !== 'resource') throw new Error(`expected a reference, got ${attachment?.type}`);
  return attachment;
}

const contentCount = (host: HostFixture): number => host.journal.disk.contents.size;

async function isWhole(client: RawClient, { uri }: MessageResourceAttachment): Promise<boolean> {
  const read = await client.request('resourceRead', { channel: ROOT, uri });
  return read.contentType === 'image/png' && read.data === data;
}

const lengthOf = (value: unknown): number => JSON.stringify(value).length;

async function idle() {
  const fixture = await inTurn();
  fixture.host.agent.turn.complete();
  await fixture.host.run();
  fixture.client.clear();
  return fixture;
}

describe('a photo of 6 MB in a message', () => {
  test('[ACT-2] in a draft is a reference in its echo, in state and after a kill, and is deleted with the draft', async () => {
    const { host, client, chat } = await inTurn();
    const echo = await client.act(chat, { type: 'chat/draftChanged', draft: message() });
    expect(lengthOf(echo)).toBeLessThan(SHORT);
    const reference = referenceIn((await chatOf(client, chat)).draft);
    expect(reference).toMatchObject({
      label: 'photo.png',
      contentType: 'image/png',
      displayKind: 'image',
      _meta: { from: 'phone' },
      sizeHint: 4_600_000,
    });
    expect(await isWhole(client, reference)).toBe(true);
    await host.restart();
    const again = await host.client();
    const state = await chatOf(again, chat);
    expect(lengthOf(state)).toBeLessThan(SHORT);
    expect(await isWhole(again, referenceIn(state.draft))).toBe(true);
    await again.act(chat, { type: 'chat/draftChanged' });
    expect(contentCount(host)).toBe(0);
  });

  test('is stored once however often its draft changes, embedded again or by reference', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, { type: 'chat/draftChanged', draft: message('l') });
    const { uri } = referenceIn((await chatOf(client, chat)).draft);
    await client.act(chat, { type: 'chat/draftChanged', draft: message('lo') });
    const { draft } = await chatOf(client, chat);
    if (draft === undefined) throw new Error('no draft');
    await client.act(chat, { type: 'chat/draftChanged', draft: { ...draft, text: 'loo' } });
    expect(referenceIn((await chatOf(client, chat)).draft).uri).toBe(uri);
    expect(contentCount(host)).toBe(1);
  });

  test('[CHAT-12] waits in the queue, moves to the turn that it starts, and the agent reads it', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, queued('q'));
    expect(lengthOf(await chatOf(client, chat))).toBeLessThan(SHORT);
    host.agent.turn.complete();
    await host.run();
    const { activeTurn } = await chatOf(client, chat);
    const reference = referenceIn(activeTurn?.message);
    expect(contentCount(host)).toBe(1);
    const { input } = host.agent.turn;
    const read = await input.readResource(referenceIn(input.message).uri);
    expect(Buffer.from(read.data).toString('base64') === data).toBe(true);
    expect(await isWhole(client, reference)).toBe(true);
    await client.act(chat, { type: 'chat/truncated' });
    await host.run();
    expect(contentCount(host)).toBe(0);
  });

  test('[CHAT-3] starts a turn by an envelope without the photo, from a draft that is deleted then', async () => {
    const { host, client, chat } = await idle();
    await client.act(chat, { type: 'chat/draftChanged', draft: message() });
    const { draft } = await chatOf(client, chat);
    if (draft === undefined) throw new Error('no draft');
    await client.act(chat, { ...turnStarted('t2'), message: draft });
    await host.run();
    const state = await chatOf(client, chat);
    expect(state.draft).toBeUndefined();
    expect(await isWhole(client, referenceIn(state.activeTurn?.message))).toBe(true);
    expect(contentCount(host)).toBe(1);
    host.agent.turn.complete();
    await host.run();
    expect(await isWhole(client, referenceIn((await chatOf(client, chat)).turns.at(-1)?.message))).toBe(true);
    expect(Math.max(...client.envelopes().map(lengthOf))).toBeLessThan(SHORT);
  });

  test('[CHAT-11] is deleted with a withdrawn queued message, unless the draft has it too', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, { type: 'chat/draftChanged', draft: message() });
    await client.act(chat, queued('q', message('other words')));
    expect(contentCount(host)).toBe(1);
    await client.act(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q' });
    expect(await isWhole(client, referenceIn((await chatOf(client, chat)).draft))).toBe(true);
    await client.act(chat, { type: 'chat/draftChanged' });
    expect(contentCount(host)).toBe(0);
  });

  test('[CHAT-12] steers, and shows in the steered turn', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's', message: message() });
    expect(referenceIn(asked.messages[0]).sizeHint).toBe(4_600_000);
    asked.last.resolve(true);
    await host.run();
    const [part] = (await chatOf(client, chat)).activeTurn?.responseParts ?? [];
    if (part?.kind !== 'systemNotification') throw new Error('no notification');
    expect(await isWhole(client, referenceIn(part['x-steering']?.message))).toBe(true);
    expect(contentCount(host)).toBe(1);
  });

  test('[CHAT-12] that no agent takes goes to the queue with its message', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 's', message: message() });
    await host.run();
    const state: ChatState = await chatOf(client, chat);
    expect(await isWhole(client, referenceIn(state.queuedMessages?.[0]?.message))).toBe(true);
  });

  test('[CHAT-1] comes with the first message of a new chat, and is deleted with the chat', async () => {
    const { host, client } = await idle();
    const chat = 'ahp-chat:/second';
    await client.request('createChat', { channel: SESSION, chat, initialMessage: message() });
    await host.run();
    expect(await isWhole(client, referenceIn((await chatOf(client, chat)).activeTurn?.message))).toBe(true);
    await client.request('disposeChat', { channel: chat });
    await host.run();
    expect(contentCount(host)).toBe(0);
  });

  test('[SESS-3] is deleted with its session, whether it waits or was sent', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, queued('q'));
    await client.act(chat, { type: 'chat/draftChanged', draft: { ...message(), text: 'draft' } });
    await client.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(contentCount(host)).toBe(0);
  });

  test('is a reference after an import, in turns and in the draft', async () => {
    const { host, client } = await idle();
    const head = {
      resource: 'ahp-chat:/old',
      title: 'Old',
      status: 1,
      modifiedAt: '2026-01-01T00:00:00.000Z',
    };
    const { chats } = await client.request('x-importSession', {
      channel: 'ahp-session:/copy',
      session: {
        resource: 'ahp-session:/old',
        provider: 'puppet',
        title: 'Old',
        status: 1,
        lifecycle: 'ready',
      },
      chats: [{ ...head, draft: message() }],
    });
    const channel = 'ahp-session:/copy';
    const chat = chats[0]?.chat ?? '';
    const turn = { ...completedTurn('a'), message: message('first') };
    await client.request('x-importTurns', { channel, chat, turns: [{ turn }] });
    await client.request('x-finishImport', { channel });
    await host.run();
    const state = await chatOf(client, chat);
    expect(lengthOf(state)).toBeLessThan(SHORT);
    expect(await isWhole(client, referenceIn(state.draft))).toBe(true);
    expect(await isWhole(client, referenceIn(state.turns[0]?.message))).toBe(true);
  });

  test('stays inside its message if it is small', async () => {
    const { host, client, chat } = await inTurn();
    const small = { ...photo, data: 'AAAA' };
    await client.act(chat, queued('q', { ...userMessage('look'), attachments: [small] }));
    expect((await chatOf(client, chat)).queuedMessages?.[0]?.message.attachments).toEqual([small]);
    expect(contentCount(host)).toBe(0);
  });
});
