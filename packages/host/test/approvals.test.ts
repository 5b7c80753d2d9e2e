import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StateAction } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { AskingSession, newFolder } from './approvals-fixture.ts';
import { ROOT, SESSION } from './host-fixture.ts';

async function inTurn(approvals?: string) {
  const session = await AskingSession.start(approvals === undefined ? {} : { approvals });
  await session.turn();
  return session;
}

const DENIED = 'This session denies all calls that need permission';

describe('the approvals setting of a session', () => {
  it('by default asks, with options of the host that the agent does not get', async () => {
    const session = await inTurn();
    const asked = await session.run('make');
    expect(await asked.state()).toMatchObject({
      status: 'pending-confirmation',
      options: [
        { id: 'allow', label: 'Allow', kind: 'approve' },
        { id: 'always-session', label: 'Always allow exactly this command in this session', kind: 'approve' },
        {
          id: 'always-folder',
          label: 'Always allow exactly this command in this folder and below',
          kind: 'approve',
        },
        { id: 'deny', label: 'Deny', kind: 'deny' },
      ],
    });
    await session.choose(asked, 'allow');
    expect(asked.answer()).toStrictEqual({ approved: true, toolInput: expect.stringContaining('make') });
    expect(await asked.state()).toMatchObject({ confirmed: 'user-action', selectedOption: { id: 'allow' } });
    expect((await asked.state())._meta ?? {}).not.toHaveProperty('approvedBy');
    expect(await session.list()).toStrictEqual([]);
  });

  it('is the default of the host if a client has dropped the value, also when that default changes', async () => {
    const session = await inTurn();
    const setRoot = async (approvals: string) => {
      await session.client.act(ROOT, { type: 'root/configChanged', config: { approvals } });
      await session.host.run();
    };
    await setRoot('none');
    const drop: StateAction = { type: 'session/configChanged', config: {}, replace: true };
    await session.client.act(session.uri, drop);
    expect((await session.run('make')).answer()).toMatchObject({ approved: false, message: DENIED });
    await setRoot('ask');
    const asked = await session.run('make');
    expect(asked.answer()).toBeUndefined();
    await setRoot('all');
    expect(asked.answer()).toMatchObject({ approved: true });
  });

  it('`all` runs calls that ask, and shows that on the call', async () => {
    const session = await inTurn('all');
    const asked = await session.run('make', { meta: { toolKind: 'execute' } });
    expect(asked.answer()).toStrictEqual({ approved: true, toolInput: expect.stringContaining('make') });
    expect(await asked.state()).toMatchObject({
      status: 'running',
      confirmed: 'setting',
      _meta: { toolKind: 'execute', approvedBy: { policy: 'all' } },
    });
  });

  it('`none` denies calls that ask, and the agent and people get the reason', async () => {
    const session = await inTurn('none');
    const asked = await session.run('make');
    expect(asked.answer()).toStrictEqual({ approved: false, reason: 'denied', message: DENIED });
    expect(await asked.state()).toMatchObject({
      status: 'cancelled',
      reason: 'denied',
      reasonMessage: DENIED,
      _meta: { deniedBy: { policy: 'none' } },
    });
  });

  it('removes an agent’s `_meta` about approvals, and later `_meta` keeps that of the host', async () => {
    const session = await inTurn('all');
    const forged = { approvedBy: { policy: 'ask' }, deniedBy: { policy: 'none' }, own: 1 };
    const { output } = session.host.agent.turn;
    const call = output.toolCall({ toolCallId: 'forged', toolName: 't', displayName: 'T', meta: forged });
    call.run({ invocationMessage: 'Runs', meta: forged });
    await call.complete({ success: true, pastTenseMessage: 'Ran' }, { meta: forged });
    const asked = await session.run('make', { meta: forged });
    await session.host.run();
    expect((await asked.state())._meta).toStrictEqual({ own: 1, approvedBy: { policy: 'all' } });
    const forgedCall = await session.stateOf('forged');
    expect(forgedCall._meta).toStrictEqual({ own: 1 });
  });

  it.each([
    ['all', true],
    ['none', false],
  ])('`%s` decides whether the model may see a result', async (policy, isApproved) => {
    const session = await inTurn(policy);
    const call = session.host.agent.turn.output.toolCall({
      toolCallId: 'c',
      toolName: 't',
      displayName: 'T',
    });
    call.run({ invocationMessage: 'Runs' });
    const judged = call.complete(
      { success: true, pastTenseMessage: 'Ran' },
      { requiresResultConfirmation: true },
    );
    await session.host.run();
    expect(await judged).toStrictEqual({ approved: isApproved });
  });

  it('a change applies to open questions and results', async () => {
    const session = await inTurn();
    const asked = await session.run('make');
    const { output } = session.host.agent.turn;
    const call = output.toolCall({ toolCallId: 'c', toolName: 't', displayName: 'T' });
    call.run({ invocationMessage: 'Runs' });
    const judged = call.complete(
      { success: true, pastTenseMessage: 'Ran' },
      { requiresResultConfirmation: true },
    );
    await session.host.run();
    expect(asked.answer()).toBeUndefined();
    await session.setPolicy('all');
    expect(asked.answer()).toMatchObject({ approved: true });
    expect(await asked.state()).toMatchObject({
      confirmed: 'setting',
      _meta: { approvedBy: { policy: 'all' } },
    });
    expect(await judged).toStrictEqual({ approved: true });
    await session.setPolicy('ask');
    const next = await session.run('make');
    await session.setPolicy('none');
    expect(next.answer()).toMatchObject({ approved: false, message: DENIED });
  });

  it('a running call that asks again is decided again', async () => {
    const session = await inTurn('all');
    const { output } = session.host.agent.turn;
    const call = output.toolCall({ toolCallId: 'c', toolName: 't', displayName: 'T' });
    expect(await call.confirm({ invocationMessage: 'Do it' })).toMatchObject({ approved: true });
    await session.setPolicy('ask');
    void call.confirm({ invocationMessage: 'Go on?' });
    await session.host.run();
    const { state } = await session.client.subscribe(session.chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts[0] : undefined;
    expect(part).toMatchObject({ toolCall: { status: 'pending-confirmation' } });
    expect(JSON.stringify(part)).not.toContain('approvedBy');
  });
});

describe('`edits`', () => {
  it('runs edits with all files in the folder, new ones too', async () => {
    const session = await inTurn('edits');
    writeFileSync(join(session.folder, 'src/a.ts'), '');
    const asked = await session.ask({ kind: 'edit' }, { edits: session.edits('src/a.ts', 'src/new/b.ts') });
    expect(asked.answer()).toStrictEqual({ approved: true });
    expect(await asked.state()).toMatchObject({
      confirmed: 'setting',
      _meta: { approvedBy: { policy: 'edits' } },
    });
    const moved = [{ before: session.version('src/a.ts'), after: session.version('src/c.ts') }];
    expect((await session.ask({ kind: 'move' }, { edits: moved })).answer()).toStrictEqual({
      approved: true,
    });
  });

  it('asks about any call that is no edit by its changes', async () => {
    const session = await inTurn('edits');
    const inside = session.edits('src/a.ts');
    const before = session.version('src/a.ts');
    const asked = [
      await session.ask({ kind: 'edit' }),
      await session.ask({ kind: 'edit' }, { edits: [] }),
      await session.ask({ kind: 'execute' }, { edits: inside }),
      await session.ask({}, { edits: inside }),
      await session.ask({ kind: 'edit' }, { kind: 'execute', edits: inside }),
      await session.ask({ kind: 'delete' }, { edits: [{ before }] }),
      await session.ask({ kind: 'edit' }, { edits: [{ before }] }),
    ];
    expect(asked.map((each) => each.answer())).toStrictEqual(asked.map(() => undefined));
  });

  it('asks about files outside of the folder, behind links, and hidden ones', async () => {
    const session = await inTurn('edits');
    const elsewhere = newFolder();
    symlinkSync(elsewhere, join(session.folder, 'link'));
    symlinkSync(join(elsewhere, 'nothing-yet'), join(session.folder, 'dangling'));
    mkdirSync(join(session.folder, '.git'));
    symlinkSync('.git', join(session.folder, 'git'));
    const paths = [
      '../x',
      'link/x',
      'dangling',
      'src/../../x',
      '.git/hooks/pre-commit',
      'git/config',
      '.envrc',
      'src/.x/y',
      '',
    ];
    const asked = [];
    for (const path of paths)
      asked.push([
        path,
        await session.ask({ kind: 'edit' }, { edits: session.edits('src/a.ts', path) }),
      ] as const);
    const remote = { uri: 'https://example.org/a', content: { uri: 'agenthost-content:/x' } };
    asked.push([
      'a URI',
      await session.ask({ kind: 'edit' }, { edits: [{ before: remote, after: remote }] }),
    ] as const);
    expect(asked.filter(([, each]) => each.answer() !== undefined).map(([path]) => path)).toStrictEqual([]);
  });
});

describe('client tools', () => {
  it('[CHAT-9] that ask are subject to the policy too', async () => {
    const session = await inTurn('all');
    const tool = { name: 'wipe', annotations: { destructiveHint: true } };
    const activeClient = { clientId: 'person', tools: [tool] };
    await session.client.act(SESSION, { type: 'session/activeClientSet', activeClient });
    const { output } = session.host.agent.turn;
    void output.clientTool({ clientId: 'person', toolName: 'wipe', toolCallId: 'w', toolInput: '{}' });
    await session.host.run();
    const { state } = await session.client.subscribe(session.chat);
    const part = 'turns' in state ? state.activeTurn?.responseParts[0] : undefined;
    expect(part).toMatchObject({ toolCall: { status: 'running', confirmed: 'setting' } });
  });

  it('[CHAT-9] that are denied by the policy fail, and the agent gets the reason', async () => {
    const session = await inTurn('none');
    const tool = { name: 'wipe', annotations: { destructiveHint: true } };
    await session.client.act(SESSION, {
      type: 'session/activeClientSet',
      activeClient: { clientId: 'person', tools: [tool] },
    });
    const result = session.host.agent.turn.output.clientTool({
      clientId: 'person',
      toolName: 'wipe',
      toolInput: '{}',
    });
    await session.host.run();
    expect(await result).toMatchObject({
      success: false,
      error: { code: 'denied', message: `It was denied: ${DENIED}` },
    });
  });
});
