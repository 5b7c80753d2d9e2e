import { describe, expect, it } from 'vitest';
import { type HostFixture, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import type { ToolCallHandle } from '../../agents/tool-call.ts';

async function setUp(): Promise<{
  host: HostFixture;
  client: RawClient;
  chat: string;
  call: ToolCallHandle;
  status(): Promise<string | undefined>;
}> {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message: { text: 'go', origin: { kind: 'user' } },
  });
  const call = host.agent.turn.output.toolCall({ toolCallId: 'c', toolName: 'write', displayName: 'Write' });
  const status = async (): Promise<string | undefined> => {
    await host.run();
    const { state } = await client.subscribe(chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts.at(-1) : undefined;
    return part?.kind === 'toolCall' ? part.toolCall.status : undefined;
  };
  return { host, client, chat, call, status };
}

const target = { turnId: 't', toolCallId: 'c' };
const confirmed = (extra: object) => ({ type: 'chat/toolCallConfirmed', ...target, ...extra });
const approve = confirmed({ approved: true, confirmed: 'user-action' });
const deny = confirmed({ approved: false, reason: 'denied' });
const done = { success: true, pastTenseMessage: 'Wrote' };

describe('[CHAT-7] a tool call', () => {
  it('[CHAT-7] streams its input, asks, runs when approved, and is completed', async () => {
    const { host, client, chat, call, status } = await setUp();
    await call.input('{"pa', 'Writing');
    await call.input('th":1}');
    expect(await status()).toBe('streaming');
    const answer = call.confirm({ invocationMessage: 'Write?', toolInput: '{"path":1}', editable: true });
    expect(await status()).toBe('pending-confirmation');
    await client.act(
      chat,
      confirmed({ approved: true, confirmed: 'user-action', editedToolInput: '{"path":2}' }),
    );
    await host.run();
    expect(await answer).toStrictEqual({ approved: true, toolInput: '{"path":2}' });
    expect(await status()).toBe('running');
    call.content([{ type: 'text', text: 'half' }]);
    expect(await call.complete(done)).toStrictEqual({ approved: true });
    expect(await status()).toBe('completed');
  });

  it('[CHAT-35] shows a large input by reference, which clients can read but not edit', async () => {
    const { host, client, chat, call } = await setUp();
    const toolInput = JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) });
    const answer = call.confirm({ invocationMessage: 'Write?', toolInput, editable: true });
    await host.run();
    const { state } = await client.subscribe(chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts.at(-1) : undefined;
    const asked = part?.kind === 'toolCall' ? part.toolCall : undefined;
    const given = asked?.status === 'pending-confirmation' ? asked.toolInput : undefined;
    if (typeof given !== 'object') throw new Error('no reference');
    expect(given.sizeHint).toBe(toolInput.length);
    expect(given['x-beginning']).toBe(toolInput.slice(0, 32 * 1024));
    expect(asked).not.toHaveProperty('editable');
    expect(await client.request('resourceRead', { channel: 'ahp-root://', uri: given.uri })).toMatchObject({
      data: toolInput,
    });
    await client.act(chat, approve);
    await host.run();
    // Absent: the agent's own input is approved as it is.
    expect(await answer).toStrictEqual({ approved: true });
    call.run({ invocationMessage: 'Write', toolInput });
    await host.run();
    const ready = client.envelopes(chat).at(-1)?.action;
    expect(ready).toMatchObject({ type: 'chat/toolCallReady', toolInput: given });
  });

  it('[CHAT-7] gives the agent the whole chosen option', async () => {
    const { host, client, chat, call } = await setUp();
    const option = { id: 'always', label: 'Always', kind: 'approve' as const };
    const answer = call.confirm({ invocationMessage: 'Write?', options: [option] });
    await client.act(
      chat,
      confirmed({ approved: true, confirmed: 'user-action', selectedOptionId: 'always' }),
    );
    await host.run();
    expect(await answer).toMatchObject({ approved: true, selectedOption: option });
  });

  it('[CHAT-7] that is denied is cancelled, and the agent gets the reason', async () => {
    const { host, client, chat, call, status } = await setUp();
    const answer = call.confirm({ invocationMessage: 'Write?' });
    const suggestion = { text: 'ask first', origin: { kind: 'user' as const } };
    await client.act(
      chat,
      confirmed({ approved: false, reason: 'denied', reasonMessage: 'no', userSuggestion: suggestion }),
    );
    await host.run();
    expect(await answer).toStrictEqual({ approved: false, reason: 'denied', message: 'no', suggestion });
    expect(await status()).toBe('cancelled');
  });

  it('[CHAT-7] asks again while it runs', async () => {
    const { host, client, chat, call, status } = await setUp();
    call.run({ invocationMessage: 'Writing' });
    const answer = call.confirm({ invocationMessage: 'Really?' });
    expect(await status()).toBe('pending-confirmation');
    await client.act(chat, approve);
    await host.run();
    expect(await answer).toMatchObject({ approved: true });
    expect(await status()).toBe('running');
  });

  it('[CHAT-7] waits until its result is approved', async () => {
    const { host, client, chat, call, status } = await setUp();
    call.run({ invocationMessage: 'Writing' });
    const judged = call.complete(done, { requiresResultConfirmation: true });
    expect(await status()).toBe('pending-result-confirmation');
    await client.act(chat, { type: 'chat/toolCallResultConfirmed', ...target, approved: false });
    await host.run();
    expect(await judged).toStrictEqual({ approved: false });
    expect(await status()).toBe('cancelled');
  });

  it('[CHAT-7] that has ended takes no question and no result, and nothing waits for an answer', async () => {
    const { host, client, chat, call, status } = await setUp();
    const answer = call.confirm({ invocationMessage: 'Write?' });
    await client.act(chat, deny);
    await host.run();
    await answer;
    const skipped = { approved: false, reason: 'skipped' };
    expect(await call.confirm({ invocationMessage: 'Please?' })).toStrictEqual(skipped);
    expect(await call.complete(done, { requiresResultConfirmation: true })).toStrictEqual({
      approved: false,
    });
    expect(await status()).toBe('cancelled');
  });

  it('[CHAT-7] asks no question while another one is open', async () => {
    const { host, client, chat, call } = await setUp();
    const first = call.confirm({ invocationMessage: 'Write?' });
    const second = await call.confirm({ invocationMessage: 'Write there?' });
    expect(second).toStrictEqual({ approved: false, reason: 'skipped' });
    await client.act(chat, approve);
    await host.run();
    expect(await first).toMatchObject({ approved: true });
  });

  it('[CHAT-7] that is completed without an answer no longer waits for it', async () => {
    const { call, status } = await setUp();
    const answer = call.confirm({ invocationMessage: 'Write?' });
    expect(await call.complete(done)).toStrictEqual({ approved: true });
    expect(await answer).toStrictEqual({ approved: false, reason: 'skipped' });
    expect(await status()).toBe('completed');
  });

  it('[CHAT-7] whose question waits for the journal is released when its turn ends', async () => {
    const { host, call } = await setUp();
    host.journal.failNextCommits(100);
    await host.agent.turn.output.markdown('x');
    await host.run();
    const answer = call.confirm({ invocationMessage: 'Write?' });
    host.agent.turn.complete();
    expect(await answer).toStrictEqual({ approved: false, reason: 'skipped' });
  });

  it('[CHAT-7] asks a question that came while the journal was down when that is up again', async () => {
    const { host, client, chat, call, status } = await setUp();
    host.journal.failNextCommits(2);
    const answer = call.confirm({ invocationMessage: 'Write?' });
    await host.run();
    await host.advance(5_000);
    expect(await status()).toBe('pending-confirmation');
    await client.act(chat, approve);
    await host.run();
    expect(await answer).toMatchObject({ approved: true });
  });

  it('[CHAT-7] waits for no answer after the end of the turn', async () => {
    const { host, client, chat, call } = await setUp();
    const answer = call.confirm({ invocationMessage: 'Write?' });
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 't', duration: 0 });
    await host.run();
    expect(await answer).toStrictEqual({ approved: false, reason: 'skipped' });
    const late = host.agent.turn.output.toolCall({ toolName: 'x', displayName: 'X' });
    expect(await late.confirm({ invocationMessage: 'Hm?' })).toMatchObject({ reason: 'skipped' });
    expect(await late.complete(done, { requiresResultConfirmation: true })).toStrictEqual({
      approved: false,
    });
  });
});
