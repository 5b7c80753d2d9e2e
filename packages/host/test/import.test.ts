import { ErrorCodes, type ExportedChatHead, type ExportedSession } from '@agenthost/protocol';
import { completedTurn, userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';
import type { RawClient } from './raw-client.ts';

const session: ExportedSession = {
  resource: 'ahp-session:/old',
  provider: 'puppet',
  title: 'Bread',
  status: 1 + 32,
  lifecycle: 'ready',
  config: { approvals: 'all', effort: 'high', instructions: 'Rye.', metadata: { ticket: '42' }, unknown: 1 },
  defaultChat: 'ahp-chat:/old',
};
const chat: ExportedChatHead = {
  resource: 'ahp-chat:/old',
  title: 'Bread',
  status: 1,
  modifiedAt: '2026-01-01T00:00:00.000Z',
};

async function begun(client: RawClient, chats = [chat]): Promise<string> {
  const { chats: made } = await client.request('x-importSession', { channel: SESSION, session, chats });
  return made[0]?.chat ?? '';
}

const turn = (id: string) => ({ turn: completedTurn(id) });

/** URIs and lifecycles of the sessions in the catalogue, and the rows of this import in the journal. */
async function left(host: HostFixture, client: RawClient, uri: string) {
  const { items } = await client.request('listSessions', { channel: ROOT });
  return { sessions: items.map(({ resource }) => resource), turns: await host.journal.readTurns(uri, {}) };
}

describe('an import', () => {
  test('shows a session that is being created without chats, and is complete at its end', async () => {
    const host = await startHost();
    const client = await host.client();
    const watcher = await host.client();
    const uri = await begun(client);
    const { state } = await watcher.subscribe(SESSION);
    expect(state).toMatchObject({ lifecycle: 'creating', title: 'Bread', chats: [] });
    await expect(watcher.subscribe(uri)).rejects.toMatchObject({ code: ErrorCodes.NotFound });
    await expect(
      watcher.request('createChat', { channel: SESSION, chat: 'ahp-chat:/mine' }),
    ).rejects.toMatchObject({ code: ErrorCodes.InvalidParams });
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a'), turn('b')] });
    await client.request('x-finishImport', { channel: SESSION });
    await host.run();
    const whole = await (await host.client()).subscribe(SESSION);
    expect(whole.state).toMatchObject({
      lifecycle: 'ready',
      defaultChat: uri,
      status: 1 + 32,
      _meta: { metadata: { ticket: '42' } },
      config: { values: { approvals: 'ask', instructions: 'Rye.' } },
      chats: [{ resource: uri, title: 'Bread' }],
    });
    expect(JSON.stringify(whole.state)).not.toContain('unknown');
    const { state: talk } = await watcher.subscribe(uri);
    expect(talk).toMatchObject({ turns: [{ id: 'a' }, { id: 'b' }] });
  });

  test('is rolled back when its client leaves', async () => {
    const host = await startHost();
    const client = await host.client();
    const uri = await begun(client);
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a')] });
    const watcher = await host.client();
    expect(await left(host, watcher, uri)).toMatchObject({ sessions: [SESSION], turns: [{ id: 'a' }] });
    client.link.cut();
    await host.run();
    expect(await left(host, watcher, uri)).toEqual({ sessions: [], turns: [] });
  });

  test.each(['the host stops', 'the client leaves'])(
    'that is still being looked at when %s begins nothing, and leaves no timer',
    async (what) => {
      const host = await startHost();
      const client = await host.client();
      const reading = Promise.withResolvers<void>();
      host.journal.gates.afterRead = () => reading.promise;
      client.ask('x-importSession', { channel: SESSION, session, chats: [chat] });
      await host.run();
      if (what === 'the client leaves') client.link.cut();
      const stopping = what === 'the host stops' ? host.host.stop() : Promise.resolve();
      await host.clock.settle();
      reading.resolve();
      await host.run();
      if (what === 'the client leaves') await host.stop();
      await stopping;
      expect(host.clock.timerCount).toBe(0);
      await host.start();
      const { items } = await (await host.client()).request('listSessions', { channel: ROOT });
      expect(items).toEqual([]);
    },
  );

  test('is rolled back after a minute without data, and then accepts nothing more', async () => {
    const host = await startHost();
    const client = await host.client();
    const uri = await begun(client);
    await host.advance(59_000);
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a')] });
    await host.advance(59_000);
    expect(await left(host, client, uri)).toMatchObject({ sessions: [SESSION] });
    await host.advance(2_000);
    expect(await left(host, client, uri)).toEqual({ sessions: [], turns: [] });
    await expect(client.request('x-finishImport', { channel: SESSION })).rejects.toMatchObject({
      code: ErrorCodes.SessionNotFound,
    });
  });

  test('that a kill interrupts has failed after the next start, with a reason and without its turns', async () => {
    const host = await startHost();
    const client = await host.client();
    const uri = await begun(client);
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a')] });
    await host.restart();
    const next = await host.client();
    const { state } = await next.subscribe(SESSION);
    expect(state).toMatchObject({
      lifecycle: 'failed',
      chats: [],
      creationError: {
        errorType: 'importInterrupted',
        message: 'The host was restarted while this session was imported: import it again',
      },
    });
    expect(await left(host, next, uri)).toMatchObject({ turns: [] });
    await next.request('disposeSession', { channel: SESSION });
    expect(await left(host, next, uri)).toEqual({ sessions: [], turns: [] });
  });

  test('continues after a failed commit, without a duplicate turn', async () => {
    const host = await startHost();
    const client = await host.client();
    const uri = await begun(client);
    host.journal.failNextCommits(1);
    await expect(
      client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a')] }),
    ).rejects.toMatchObject({ code: ErrorCodes.InternalError });
    await host.advance(2_000);
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a'), turn('b')] });
    expect((await left(host, client, uri)).turns.map(({ id, ordinal }) => [id, ordinal])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  test('belongs to the client that began it, and any client can dispose of it', async () => {
    const host = await startHost();
    const client = await host.client();
    const other = await host.client();
    const uri = await begun(client);
    await client.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('a')] });
    await expect(
      other.request('x-importTurns', { channel: SESSION, chat: uri, turns: [turn('b')] }),
    ).rejects.toMatchObject({ code: ErrorCodes.PermissionDenied });
    await other.request('disposeSession', { channel: SESSION });
    expect(await left(host, other, uri)).toEqual({ sessions: [], turns: [] });
    await expect(client.request('x-finishImport', { channel: SESSION })).rejects.toMatchObject({
      code: ErrorCodes.SessionNotFound,
    });
  });

  test('refuses invalid turns: duplicate, with open calls, after the open one, or malformed', async () => {
    const host = await startHost();
    const client = await host.client();
    const uri = await begun(client);
    const add = (more: object) => client.raw('x-importTurns', { channel: SESSION, chat: uri, ...more });
    const open = {
      ...completedTurn('c'),
      responseParts: [
        {
          kind: 'toolCall',
          toolCall: { toolCallId: 'x', toolName: 't', displayName: 'T', status: 'streaming' },
        },
      ],
    };
    await add({ turns: [turn('a')] });
    const invalid = { code: ErrorCodes.InvalidParams };
    await expect(add({ turns: [turn('b'), turn('a')] })).rejects.toMatchObject(invalid);
    await expect(add({ turns: [{ turn: open }] })).rejects.toThrow(
      'the turn has ended, but tool call x is streaming',
    );
    await expect(add({ turns: [{ turn: { id: 'd' } }] })).rejects.toMatchObject(invalid);
    await add({
      openTurn: {
        turn: {
          id: 'o',
          startedAt: '2026-06-01T00:00:00.000Z',
          message: userMessage('go on'),
          responseParts: [],
        },
      },
    });
    await expect(add({ turns: [turn('b')] })).rejects.toThrow('the open turn of a chat must be its last');
    // A refused turn leaves neither rows nor used turn ids.
    expect((await left(host, client, uri)).turns.map(({ id }) => id)).toEqual(['a', 'o']);
  });

  test('needs an agent, a folder and a chat', async () => {
    const host = await startHost({ agents: [() => new PuppetAgent('one')] });
    const client = await host.client();
    const ask = (more: object) =>
      client.raw('x-importSession', { channel: SESSION, session, chats: [chat], ...more });
    await expect(ask({})).rejects.toMatchObject({ code: ErrorCodes.ProviderNotFound });
    const missing = { ...session, workingDirectories: ['file:///no/such/folder'] };
    await expect(ask({ provider: 'one', session: missing })).rejects.toMatchObject({
      code: ErrorCodes.NotFound,
    });
    await expect(ask({ provider: 'one', chats: [{ ...chat, interactivity: 'read-only' }] })).rejects.toThrow(
      'expected a chat that users can write to',
    );
    await expect(ask({ provider: 'one' })).resolves.toMatchObject({ chats: [{ source: chat.resource }] });
    await expect(ask({ provider: 'one' })).rejects.toMatchObject({ code: ErrorCodes.SessionAlreadyExists });
  });

  test('refuses invalid times', async () => {
    const client = await (await startHost()).client();
    const ask = (more: object) =>
      client.raw('x-importSession', { channel: SESSION, session, chats: [chat], ...more });
    const refused = { code: ErrorCodes.InvalidParams };
    await expect(ask({ session: { ...session, createdAt: 'garbage' } })).rejects.toThrow(
      'params.session.createdAt: "garbage" is not a time',
    );
    for (const time of ['', '2026-13-01T00:00:00Z', 'May 2026', '7'])
      await expect(ask({ chats: [{ ...chat, modifiedAt: time }] })).rejects.toMatchObject(refused);
    await expect(
      ask({ session: { ...session, createdAt: '2026-01-01T00:00:00+02:00' } }),
    ).resolves.toBeDefined();
  });

  test('takes neither settings of the agent nor approvals from the file', async () => {
    const effort = { type: 'string', title: 'Effort', enum: ['low', 'high'], default: 'low' } as const;
    const resolveConfig = () =>
      Promise.resolve({
        schema: { type: 'object' as const, properties: { effort } },
        values: { effort: 'low' },
      });
    const host = await startHost({
      agents: [() => Object.assign(new PuppetAgent('puppet'), { resolveConfig })],
    });
    const client = await host.client();
    await begun(client);
    const { state } = await client.subscribe(SESSION);
    expect(state).toMatchObject({ config: { values: { effort: 'low', approvals: 'ask' } } });
  });

  test('starts no queued message: it adds their text to the draft, where a person sees it', async () => {
    const host = await startHost();
    const client = await host.client();
    const file = {
      type: 'resource' as const,
      label: 'f',
      uri: 'file:///f',
      range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
    };
    const waiting = (id: string) => ({ id, message: { ...userMessage(id), attachments: [file] } });
    const draft = { ...userMessage('dr'), origin: { kind: 'agent' as const }, model: { id: 'costly' } };
    const uri = await begun(client, [
      { ...chat, steeringMessage: waiting('s'), queuedMessages: [waiting('!touch /x')], draft },
    ]);
    await client.request('x-finishImport', { channel: SESSION });
    const { state } = await client.subscribe(uri);
    const { range: _, ...bare } = file;
    expect(state).toHaveProperty('draft', {
      text: 'dr\n\ns\n\n!touch /x',
      origin: { kind: 'user' },
      attachments: [bare, bare],
    });
    expect(state).not.toHaveProperty('steeringMessage');
    expect(state).not.toHaveProperty('queuedMessages');
  });

  test('has one unfinished content at a time, over all of its chats', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chats } = await client.request('x-importSession', {
      channel: SESSION,
      session,
      chats: [chat, { ...chat, resource: 'ahp-chat:/other' }],
    });
    const add = (index: number, uri: string, isMore: boolean) => {
      const piece = { turnId: 'a', uri, encoding: 'utf-8' as const, data: 'x', isMore };
      const to = chats[index]?.chat ?? '';
      return client.request('x-importTurns', { channel: SESSION, chat: to, pieces: [piece] });
    };
    await add(0, 'c:/1', true);
    const missing = { code: ErrorCodes.InvalidParams };
    await expect(add(0, 'c:/2', true)).rejects.toMatchObject(missing);
    await expect(add(1, 'c:/1', false)).rejects.toMatchObject(missing);
    await expect(client.request('x-finishImport', { channel: SESSION })).rejects.toMatchObject(missing);
    await add(0, 'c:/1', false);
    await add(1, 'c:/1', false);
  });

  test('is one of eight at most', async () => {
    const host = await startHost();
    const client = await host.client();
    const begin = (index: number) =>
      client.request('x-importSession', { channel: `ahp-session:/i${index}`, session, chats: [chat] });
    for (let index = 0; index < 8; index += 1) await begin(index);
    await expect(begin(8)).rejects.toMatchObject({ code: ErrorCodes.Conflict });
    await client.request('x-finishImport', { channel: 'ahp-session:/i0' });
    await begin(8);
  });
});
