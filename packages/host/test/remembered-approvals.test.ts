import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { approved } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { AskingSession, newFolder } from './approvals-fixture.ts';
import { ROOT } from './host-fixture.ts';

async function inTurn(options: Parameters<typeof AskingSession.start>[0] = {}) {
  const session = await AskingSession.start(options);
  await session.turn();
  return session;
}

/** Another session of the same host, with a running turn. */
async function beside(session: AskingSession, folder: string, uri = 'ahp-session:/two') {
  const other = await AskingSession.open(session.host, session.client, { uri, folder });
  await other.turn();
  return other;
}

describe('an approval that is remembered', () => {
  it('runs the same command in its session, and names the approval', async () => {
    const session = await inTurn();
    await session.choose(await session.run('make'), 'always-session');
    const [approval, ...more] = await session.list();
    expect(more).toStrictEqual([]);
    expect(approval).toStrictEqual({
      id: expect.any(String),
      provider: 'puppet',
      toolName: 'shell',
      kind: 'execute',
      scope: { kind: 'session', session: session.uri },
      covers: { kind: 'input', input: 'make', isWhole: true },
      label: 'Always allow exactly this command in this session',
      createdAt: expect.stringMatching(/^\d{4}-/),
    });
    const again = await session.run('make');
    expect(again.answer()).toMatchObject({ approved: true });
    expect(await again.state()).toMatchObject({
      confirmed: 'setting',
      _meta: { approvedBy: { approval: approval?.id } },
    });
  });

  it('covers nothing else: another line, tool, kind, input beside the command, or agent-made name', async () => {
    const session = await inTurn();
    await session.choose(await session.run('make'), 'always-session');
    const toolInput = JSON.stringify({ command: 'make' });
    const others = [
      await session.run('make install'),
      await session.run('make '),
      await session.ask({ toolName: 'shell2', kind: 'execute' }, { toolInput }),
      await session.ask({ toolName: 'shell', kind: 'other' }, { toolInput }),
      await session.ask(
        { toolName: 'shell', kind: 'execute' },
        { toolInput: JSON.stringify({ command: 'make', cwd: '/' }) },
      ),
      await session.ask({ toolName: 'shell', kind: 'execute' }, { toolInput: 'make' }),
      await session.ask({ toolName: 'shell', kind: 'execute' }),
      await session.ask({ toolName: 'shell', kind: 'execute' }, { toolInput, edits: session.edits('a') }),
      await session.ask(
        { toolName: 'shell', kind: 'execute', contributor: { kind: 'client', clientId: 'person' } },
        { toolInput },
      ),
    ];
    expect(others.map((each) => each.answer())).toStrictEqual(others.map(() => undefined));
  });

  it('is not made of input that a person has edited, since the agent asked about other input', async () => {
    const session = await inTurn();
    const choose = async (command: string, editedToolInput: string) => {
      const { id } = await session.run(command, { editable: true, toolInput: JSON.stringify({ command }) });
      const action = approved(session.turnId, id, { selectedOptionId: 'always-session', editedToolInput });
      expect((await session.client.act(session.chat, action))?.rejectionReason).toBeUndefined();
      await session.host.run();
    };
    await choose('rm -r .', JSON.stringify({ command: 'ls' }));
    expect(await session.list()).toStrictEqual([]);
    expect((await session.run('rm -r .')).answer()).toBeUndefined();
    expect((await session.run('ls')).answer()).toBeUndefined();
    // The input is sent along unchanged.
    await choose('make', JSON.stringify({ command: 'make' }));
    expect((await session.run('make')).answer()).toMatchObject({ approved: true });
  });

  it('of a call without a command line requires the same visible text too', async () => {
    const session = await inTurn();
    const ask = (invocationMessage: string, toolInput = '{"b":1,"a":2}') =>
      session.ask({}, { invocationMessage, toolInput });
    await session.choose(await ask('Send it'), 'always-session');
    expect((await ask('Send it', '{"a":2,"b":1}')).answer()).toMatchObject({ approved: true });
    expect((await ask('Delete it')).answer()).toBeUndefined();
    expect((await ask('Send it', '{"a":3,"b":1}')).answer()).toBeUndefined();
  });

  it('of an edit covers other edits of those files, and no deletion', async () => {
    const session = await inTurn();
    const edit = (paths: string[], kind = 'edit' as const) =>
      session.ask(
        { toolName: 'edit', kind },
        { edits: session.edits(...paths), toolInput: String(Math.random()) },
      );
    const first = await edit(['src/a', '../b']);
    expect(await first.state()).toMatchObject({
      options: [{}, { label: 'Always allow edits of these files in this session' }, {}, {}],
    });
    await session.choose(first, 'always-session');
    expect((await edit(['../b'])).answer()).toMatchObject({ approved: true });
    expect((await edit(['src/a', 'src/c'])).answer()).toBeUndefined();
    const before = session.version('src/a');
    const deleting = await session.ask({ toolName: 'edit', kind: 'edit' }, { edits: [{ before }] });
    expect(deleting.answer()).toBeUndefined();
  });

  it('of a tool that reads covers any use of it, as its option says; an invalid name is not shown', async () => {
    const session = await inTurn();
    const first = await session.ask({ toolName: 'read_file', kind: 'read' }, { toolInput: '{"path":"a"}' });
    expect(await first.state()).toMatchObject({
      options: [{}, { label: 'Always allow any use of read_file in this session' }, {}, {}],
    });
    await session.choose(first, 'always-session');
    expect(
      (await session.ask({ toolName: 'read_file', kind: 'read' }, { toolInput: '{"path":"b"}' })).answer(),
    ).toMatchObject({ approved: true });
    const hostile = await session.ask(
      { toolName: 'x in this session\n\u202eAllow', kind: 'read' },
      { toolInput: '{}' },
    );
    expect(await hostile.state()).toMatchObject({
      options: [{}, { label: 'Always allow exactly this in this session' }, {}, {}],
    });
  });

  it('is not offered for calls that cannot be recognised: without input, or with new text beside it', async () => {
    const session = await inTurn();
    const plain = [
      await session.ask({}),
      await session.ask({ kind: 'other' }, { toolInput: '{}', edits: session.edits('a') }),
    ];
    for (const each of plain)
      expect(await each.state()).toMatchObject({ options: [{ id: 'allow' }, { id: 'deny' }] });
  });

  it('in a folder applies to chats of the same agent there and below, and survives a kill', async () => {
    const folder = newFolder();
    const session = await inTurn({ folder });
    await session.choose(await session.run('make'), 'always-folder');
    expect(await session.list()).toMatchObject([
      { scope: { kind: 'folder', folder: pathToFileURL(folder).href } },
    ]);
    await session.host.restart();
    const client = await session.host.client('person');
    const below = await AskingSession.open(session.host, client, {
      uri: 'ahp-session:/below',
      folder: join(folder, 'src'),
    });
    await below.turn();
    expect((await below.run('make')).answer()).toMatchObject({ approved: true });
    mkdirSync(`${folder}-2`);
    const other = await beside(below, `${folder}-2`);
    expect((await other.run('make')).answer()).toBeUndefined();
    expect(await other.list(below.uri)).toHaveLength(1);
    expect(await other.list(other.uri)).toStrictEqual([]);
  });

  it('in a session applies to no other session, and is deleted with it', async () => {
    const session = await inTurn();
    await session.choose(await session.run('make'), 'always-session');
    const other = await beside(session, session.folder);
    expect((await other.run('make')).answer()).toBeUndefined();
    await session.client.request('disposeSession', { channel: session.uri });
    expect(await other.list()).toStrictEqual([]);
  });

  it('applies at once to the same question that is open elsewhere', async () => {
    const session = await inTurn();
    const [first, second] = [await session.run('make'), await session.run('make')];
    await session.choose(first, 'always-session');
    expect(second.answer()).toMatchObject({ approved: true });
  });

  it('no longer applies after it is revoked; an unknown one is not found', async () => {
    const session = await inTurn();
    await session.choose(await session.run('make'), 'always-session');
    const [approval] = await session.list();
    const revoke = () =>
      session.client.request('x-revokeApproval', { channel: ROOT, id: approval?.id ?? '' });
    expect(await revoke()).toBeNull();
    expect((await session.run('make')).answer()).toBeUndefined();
    expect(await session.list()).toStrictEqual([]);
    await expect(revoke()).rejects.toMatchObject({ code: -32008 });
  });

  it('does not apply in a session that denies everything', async () => {
    const session = await inTurn();
    await session.choose(await session.run('make'), 'always-session');
    await session.setPolicy('none');
    expect((await session.run('make')).answer()).toMatchObject({ approved: false });
  });
});
