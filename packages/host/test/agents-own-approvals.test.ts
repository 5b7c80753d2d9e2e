import type { ConfirmationOption } from '@agenthost/protocol';
import { approved } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { AskingSession } from './approvals-fixture.ts';
import { ROOT, startHost } from './host-fixture.ts';

async function inTurn(): Promise<AskingSession> {
  const session = await AskingSession.start();
  await session.turn();
  return session;
}

describe("an agent's own permanent option", () => {
  const always = { id: 'always-session', label: 'Always', kind: 'approve' as const };
  const once = { id: 'once', label: 'Once', kind: 'approve' as const };

  it('comes after options for one call, and names its memory, in any order of the agent', async () => {
    const session = await inTurn();
    const no = { id: 'no', label: 'No', kind: 'deny' as const };
    const shown = async (options: ConfirmationOption[]): Promise<string[]> => {
      const asked = await session.run('make', { options, alwaysOptions: [always.id] });
      const state = await asked.state();
      return 'options' in state ? (state.options ?? []).map(({ label }) => label) : [];
    };
    const lasting = 'Always (remembered by the agent itself)';
    expect(await shown([always, once, no])).toEqual(['Once', lasting, 'No']);
    expect(await shown([no, always, once])).toEqual(['Once', lasting, 'No']);
    expect(await shown([always, no])).toEqual(['No', lasting]);
  });

  it('is listed as the agent’s memory, in its words, even if the host can recognise no call', async () => {
    const session = await inTurn();
    const options = { options: [always, once], alwaysOptions: [always.id] };
    const listed = { covers: { kind: 'agent' }, label: 'Always', scope: { kind: 'session' } };
    const write = await session.ask({ kind: 'edit' }, options);
    await session.choose(write, always.id);
    expect(await session.list()).toMatchObject([listed]);
    expect(Object.keys((await session.list())[0] ?? {})).toEqual([
      ...['id', 'provider', 'toolName', 'kind', 'scope', 'covers', 'label', 'createdAt'],
    ]);
    // The host knows nothing else about the calls, so it asks about the next one if the agent does.
    expect((await session.ask({ kind: 'edit' }, options)).answer()).toBeUndefined();
  });

  it('is the meaning of a plain yes if the agent offers no other option, and is then listed', async () => {
    const session = await inTurn();
    const asked = await session.run('make', { options: [always], alwaysOptions: [always.id] });
    await session.client.act(session.chat, approved(session.turnId, asked.id));
    await session.host.run();
    expect(await session.list()).toMatchObject([{ covers: { kind: 'agent' }, label: 'Always' }]);
  });

  it('stays with the agent for an input that a person has changed, and does not allow the original input', async () => {
    const session = await inTurn();
    const ask = () =>
      session.run('make', { options: [once, always], alwaysOptions: [always.id], editable: true });
    const asked = await ask();
    const changed = { selectedOptionId: always.id, editedToolInput: '{"command":"rm"}' };
    await session.client.act(session.chat, approved(session.turnId, asked.id, changed));
    await session.host.run();
    expect(await session.list()).toMatchObject([{ covers: { kind: 'agent' } }]);
    expect((await ask()).answer()).toBeUndefined();
  });

  it('is forgotten with the agent’s session when it is revoked: at once, or after the running turn', async () => {
    const session = await inTurn();
    const { agent } = session.host;
    agent.opened.at(-1)?.host.saveMemory({ sessionId: 'first' });
    const asked = await session.run('make', { options: [once, always], alwaysOptions: [always.id] });
    await session.choose(asked, always.id);
    const [approval] = await session.list();
    await session.client.request('x-revokeApproval', { channel: ROOT, id: approval?.id ?? '' });
    await session.host.run();
    expect(await session.list()).toStrictEqual([]);
    // The turn continues with its agent.
    expect([agent.opened.length, agent.closeCount]).toEqual([1, 0]);
    agent.turn.complete();
    await session.host.run();
    expect(agent.closeCount).toBe(1);
    await session.turn();
    expect(agent.opened.map(({ memory }) => memory)).toEqual([undefined, undefined]);
    expect((await session.run('make', { options: [once, always] })).answer()).toBeUndefined();
  });

  it('restores the earlier mode when it is revoked, if the agent changed its mode because of it', async () => {
    const mode = (value: string) => ({
      schema: {
        type: 'object' as const,
        properties: { mode: { type: 'string' as const, title: 'Mode', enum: ['ask', 'edit', 'plan'] } },
      },
      values: { mode: value },
    });
    const host = await startHost();
    host.agent.resolveConfig = async () => mode('ask');
    const session = await AskingSession.open(host, await host.client('person'));
    await session.turn();
    const valueOf = async () => (await session.config())['mode'];
    const allow = async (): Promise<string> => {
      const asked = await session.run('make', { options: [once, always], alwaysOptions: [always.id] });
      await session.choose(asked, always.id);
      return (await session.list()).at(-1)?.id ?? '';
    };
    const revoke = async (id: string): Promise<void> => {
      await session.client.request('x-revokeApproval', { channel: ROOT, id });
      await host.run();
    };
    const first = await allow();
    host.agent.opened.at(-1)?.host.config(mode('edit'));
    await host.run();
    expect(await valueOf()).toBe('edit');
    await revoke(first);
    expect(await valueOf()).toBe('ask');
    expect(host.agent.configured).toEqual([{ mode: 'ask' }]);
    host.agent.turn.complete();
    await session.turn();
    expect(host.agent.opened.at(-1)?.config).toEqual({ mode: 'ask' });
    // A mode that the agent enters in a later turn, or that a client has changed since, does not belong to the approval.
    const second = await allow();
    host.agent.opened.at(-1)?.host.config(mode('edit'));
    await host.run();
    host.agent.turn.complete();
    await session.turn();
    host.agent.opened.at(-1)?.host.config(mode('plan'));
    await host.run();
    await revoke(second);
    expect(await valueOf()).toBe('plan');
  });

  it('removes a mode at every client if none was set before the agent entered one', async () => {
    const schema = {
      type: 'object' as const,
      properties: { mode: { type: 'string' as const, title: 'Mode', enum: ['ask', 'edit'] } },
    };
    const host = await startHost();
    host.agent.resolveConfig = async () => ({ schema, values: {} });
    const session = await AskingSession.open(host, await host.client('person'));
    await session.turn();
    const before = await session.config();
    const asked = await session.run('make', { options: [once, always], alwaysOptions: [always.id] });
    await session.choose(asked, always.id);
    host.agent.opened.at(-1)?.host.config({ schema, values: { mode: 'edit' } });
    await host.run();
    const [approval] = await session.list();
    await session.client.subscribe(session.uri);
    await session.client.request('x-revokeApproval', { channel: ROOT, id: approval?.id ?? '' });
    await host.run();
    const told = session.client.envelopes().findLast(({ action }) => action.type === 'session/configChanged');
    expect(told?.action).toEqual({ type: 'session/configChanged', config: before, replace: true });
    expect(await session.config()).toEqual(before);
  });

  it('is forgotten after a kill of the host in the turn of its revocation', async () => {
    const session = await inTurn();
    session.host.agent.opened.at(-1)?.host.saveMemory({ sessionId: 'first' });
    const asked = await session.run('make', { options: [once, always], alwaysOptions: [always.id] });
    await session.choose(asked, always.id);
    const [approval] = await session.list();
    await session.client.request('x-revokeApproval', { channel: ROOT, id: approval?.id ?? '' });
    await session.host.restart();
    const client = await session.host.client('person');
    await client.subscribe(session.chat);
    await session.turn(client);
    expect(session.host.agent.opened.at(-1)?.memory).toBeUndefined();
  });

  it('is sent to the agent, and is remembered for exactly that call', async () => {
    const session = await inTurn();
    const ask = () => session.run('make', { options: [once, always], alwaysOptions: [always.id] });
    const first = await ask();
    await session.choose(first, always.id);
    expect(first.answer()).toMatchObject({ approved: true, selectedOption: { id: always.id } });
    expect(await session.list()).toMatchObject([{ label: 'Always', scope: { kind: 'session' } }]);
    const again = await ask();
    expect(again.answer()).toMatchObject({ approved: true });
    expect(again.answer()).not.toHaveProperty('selectedOption');
  });

  it('never allows any use of a tool', async () => {
    const session = await inTurn();
    const ask = (toolInput: string) =>
      session.ask({ kind: 'read' }, { toolInput, options: [always], alwaysOptions: [always.id] });
    await session.choose(await ask('{"path":"a"}'), always.id);
    expect((await ask('{"path":"b"}')).answer()).toBeUndefined();
    expect((await ask('{"path":"a"}')).answer()).toMatchObject({ approved: true });
  });

  it.each([
    ["it has the id of one of the host's", [always], []],
    [
      'two have one id',
      [
        { ...once, id: 'twice' },
        { ...always, id: 'twice' },
      ],
      ['twice'],
    ],
    ['it denies', [{ ...always, kind: 'deny' as const }], [always.id]],
  ])('is not remembered when %s', async (_, options, alwaysOptions) => {
    const session = await inTurn();
    const asked = await session.run('make', { options, alwaysOptions });
    const { id, kind } = options[0] ?? always;
    await session.client.act(session.chat, {
      type: 'chat/toolCallConfirmed',
      turnId: session.turnId,
      toolCallId: asked.id,
      selectedOptionId: id,
      ...(kind === 'approve'
        ? { approved: true, confirmed: 'user-action' }
        : { approved: false, reason: 'denied' }),
    });
    await session.host.run();
    expect(asked.answer()).toBeDefined();
    expect(await session.list()).toStrictEqual([]);
  });
});
