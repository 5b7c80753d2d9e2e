import type { SessionConfigSchema } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../test/host-fixture.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import type { RawClient } from '../../test/raw-client.ts';
import type { AgentSession, OpenAgentSession } from '../agents/provider.ts';

const start = (turnId: string, text = `prompt of ${turnId}`) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: { text, origin: { kind: 'user' } },
});
const cancel = (turnId: string) => ({ type: 'chat/turnCancelled', turnId, duration: 0 });

async function setUp(): Promise<{ host: HostFixture; client: RawClient; chat: string }> {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  return { host, client, chat };
}

/** An agent with sessions that a test replaces. */
class OddAgent extends PuppetAgent {
  readonly make: (request: OpenAgentSession, normal: AgentSession) => AgentSession | Promise<AgentSession>;

  constructor(make: OddAgent['make']) {
    super();
    this.make = make;
  }

  override async openSession(request: OpenAgentSession): Promise<AgentSession> {
    return this.make(request, await super.openSession(request));
  }
}

async function setUpOdd(agent: OddAgent) {
  const host = await startHost({ agents: [() => agent] });
  const client = await host.client();
  const { chat } = await host.session(client);
  return { host, client, chat };
}

const errorsOf = (client: RawClient, chat: string): string[] =>
  client
    .envelopes(chat)
    .flatMap(({ action }) => (action.type === 'chat/error' ? [action.part.error.errorType] : []));

describe('a cancelled turn', () => {
  it('[CHAT-5] gives the agent 10 s and then ends it; the next turn has another agent', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    await client.act(chat, cancel('a'));
    await host.run();
    expect(host.agent.turn.signal.aborted).toBe(true);
    await client.act(chat, start('b'));
    await host.advance(9_999);
    expect([host.agent.terminateCount, host.agent.turns.length]).toStrictEqual([0, 1]);
    await host.advance(1);
    expect([host.agent.terminateCount, host.agent.turns.length]).toStrictEqual([1, 2]);
    expect(host.agent.opened).toHaveLength(2);
    expect(host.agent.turn.input.turnId).toBe('b');
  });

  it('[CHAT-5] keeps an agent that stops in time, and drops its late output', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    const first = host.agent.turn;
    await client.act(chat, cancel('a'));
    await client.act(chat, start('b'));
    await first.output.markdown('too late');
    first.complete();
    await host.run();
    expect(host.agent.turn.input.turnId).toBe('b');
    await host.advance(20_000);
    expect([host.agent.terminateCount, host.agent.opened.length]).toStrictEqual([0, 1]);
    expect(client.types(chat)).toStrictEqual(['chat/turnStarted', 'chat/turnCancelled', 'chat/turnStarted']);
  });

  it('[CHAT-5] in one tick with its start never reaches the agent', async () => {
    const { host, client, chat } = await setUp();
    client.dispatch(chat, start('a'));
    client.dispatch(chat, cancel('a'));
    client.dispatch(chat, start('b'));
    await host.run();
    expect(host.agent.turns.map(({ input }) => input.turnId)).toStrictEqual(['b']);
  });

  it('[CHAT-5] during the opening of its agent ends that attempt after 10 s', async () => {
    const { host, client, chat } = await setUp();
    await host.restart();
    const again = await host.client(client.clientId);
    await again.subscribe(chat);
    host.agent.opening = new Promise(() => undefined);
    await again.act(chat, start('a'));
    await again.act(chat, cancel('a'));
    await again.act(chat, start('b'));
    await host.run();
    host.agent.opening = Promise.resolve();
    await host.advance(10_000);
    expect(host.agent.turns.map(({ input }) => input.turnId)).toStrictEqual(['b']);
  });

  it('[CHAT-5] lets the next turn begin at once when the agent process exits', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    await client.act(chat, cancel('a'));
    await client.act(chat, start('b'));
    host.agent.opened[0]?.host.exited('killed');
    await host.run();
    expect(host.agent.turns.map(({ input }) => input.turnId)).toStrictEqual(['a', 'b']);
    expect(errorsOf(client, chat)).toStrictEqual([]);
  });
});

describe('a truncated chat', () => {
  it('[CHAT-6] ends an agent that does not end the turn within 10 s', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    client.dispatch(chat, { type: 'chat/truncated' });
    await client.act(chat, start('b'));
    await host.run();
    expect([host.agent.terminateCount, host.agent.turns.length]).toStrictEqual([0, 1]);
    await host.advance(10_000);
    expect([host.agent.terminateCount, host.agent.turns.length]).toStrictEqual([1, 2]);
  });

  it('[CHAT-6] opens the agent again, without its memory and with the remaining history', async () => {
    const { host, client, chat } = await setUp();
    host.agent.opened[0]?.host.saveMemory('of everything');
    for (const turnId of ['a', 'b']) {
      await client.act(chat, start(turnId));
      host.agent.turn.complete();
      await host.run();
    }
    await client.act(chat, { type: 'chat/truncated', turnId: 'a' });
    await client.act(chat, start('c'));
    const [, request] = host.agent.opened;
    expect(host.agent.closeCount).toBe(1);
    expect(request?.memory).toBeUndefined();
    expect((await request?.history())?.map(({ id }) => id)).toStrictEqual(['a']);
    // Late output of the closed session does not reach the new session.
    host.agent.opened[0]?.host.saveMemory('stale');
    await host.run();
    await host.restart();
    const again = await host.client();
    await again.act(chat, start('d'));
    expect(host.agent.opened.at(-1)?.memory).toBeUndefined();
  });
});

describe('an agent that fails', () => {
  it('[CHAT-5] by its process exiting ends the turn, and the next one opens it again', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    host.agent.opened[0]?.host.exited('exit code 3');
    await host.run();
    expect(errorsOf(client, chat)).toStrictEqual(['agentExited']);
    await client.act(chat, start('b'));
    expect(host.agent.opened).toHaveLength(2);
    host.agent.turn.complete();
    await host.run();
    expect(client.types(chat).at(-1)).toBe('chat/turnComplete');
  });

  it('[CHAT-5] by throwing in the call itself ends the turn', async () => {
    const { client, chat } = await setUpOdd(
      new OddAgent((_, normal) => ({
        ...normal,
        runTurn: () => {
          throw new Error('no such thing');
        },
      })),
    );
    await client.act(chat, start('a'));
    expect(errorsOf(client, chat)).toStrictEqual(['agentError']);
  });

  it('[CHAT-5] by not opening after a restart ends that turn, and the next one tries again', async () => {
    const { host, client, chat } = await setUp();
    await host.restart();
    const again = await host.client(client.clientId);
    await again.subscribe(chat);
    host.agent.opening = Promise.reject(new Error('not installed any more'));
    host.agent.opening.catch(() => undefined);
    await again.act(chat, start('a'));
    await host.run();
    expect(errorsOf(again, chat)).toStrictEqual(['agentError']);
    host.agent.opening = Promise.resolve();
    await again.act(chat, start('b'));
    await host.run();
    expect(host.agent.turn.input.turnId).toBe('b');
  });

  it('by failing to close does no harm', async () => {
    const agent = new OddAgent((_, normal) => ({
      ...normal,
      close: () => Promise.reject(new Error('cannot close')),
    }));
    const { host, client, chat } = await setUpOdd(agent);
    await client.act(chat, start('a'));
    agent.turn.complete();
    await client.act(chat, { type: 'chat/truncated' });
    // A session that opens only after the truncation fails to close too.
    const opening = Promise.withResolvers<void>();
    agent.opening = opening.promise;
    await client.act(chat, start('b'));
    await client.act(chat, { type: 'chat/truncated' });
    opening.resolve();
    await host.run();
    expect(host.logged).toContain('an agent session did not end cleanly');
  });

  it('by never completing its close is ended after 10 s', async () => {
    const agent = new OddAgent((_, normal) => ({ ...normal, close: () => new Promise(() => undefined) }));
    const { host, client } = await setUpOdd(agent);
    await client.request('disposeSession', { channel: SESSION });
    await host.advance(10_000);
    expect(agent.terminateCount).toBe(1);
  });

  it('[CHAT-7] by leaving its calls open has them closed by the host', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    const call = host.agent.turn.output.toolCall({ toolCallId: 'x', toolName: 'x', displayName: 'X' });
    const answer = call.confirm({ invocationMessage: 'May I?' });
    host.agent.turn.complete();
    await host.run();
    expect(await answer).toStrictEqual({ approved: false, reason: 'skipped' });
    expect((await client.subscribe(chat)).state).toMatchObject({
      turns: [{ responseParts: [{ toolCall: { status: 'cancelled', reason: 'skipped' } }] }],
    });
  });
});

describe('a disposed chat', () => {
  it('[SESS-3] [CHAT-1] ends its turn and its agent', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    await client.request('disposeSession', { channel: SESSION });
    await host.run();
    expect(client.types(chat).at(-1)).toBe('chat/turnCancelled');
    expect(host.agent.turn.signal.aborted).toBe(true);
    expect(host.agent.closeCount).toBe(1);
    await host.advance(10_000);
    expect(host.agent.terminateCount).toBe(1);
  });

  it('[SESS-2] [SESS-3] during the creation of its session cancels the attempt', async () => {
    const host = await startHost();
    const opening = Promise.withResolvers<void>();
    host.agent.opening = opening.promise;
    const client = await host.client();
    await client.request('createSession', { channel: SESSION });
    await client.request('disposeSession', { channel: SESSION });
    opening.resolve();
    await host.run();
    expect(host.agent.closeCount).toBe(1);
    expect(await client.request('listSessions', { channel: 'ahp-root://' })).toMatchObject({ items: [] });
  });
});

describe('a host that stops', () => {
  it('[CONN-8] ends turns visibly before it exits, even with agents that ignore it', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    await host.stop();
    expect(errorsOf(client, chat)).toStrictEqual(['hostRestarted']);
    expect(host.agent.terminateCount).toBe(1);
    expect(client.closed?.code).toBeDefined();
    await host.start();
    const again = await host.client();
    expect((await again.subscribe(chat)).state).not.toHaveProperty('activeTurn');
  });
});

describe('config', () => {
  const schema: SessionConfigSchema = {
    type: 'object',
    properties: { mode: { type: 'string', title: 'Mode', sessionMutable: true } },
  };

  it('[SESS-9] that changes while the agent opens reaches it', async () => {
    const seen: Readonly<Record<string, unknown>>[] = [];
    const agent = new OddAgent((_, normal) => ({
      ...normal,
      setConfig: async (values) => {
        seen.push(values);
      },
    }));
    agent.resolveConfig = async () => ({ schema, values: { mode: 'plan' } });
    const opening = Promise.withResolvers<void>();
    agent.opening = opening.promise;
    const { host, client } = await setUpOdd(agent);
    await client.act(SESSION, { type: 'session/configChanged', config: { mode: 'build' } });
    opening.resolve();
    await host.run();
    expect(seen).toStrictEqual([{ mode: 'build' }]);
  });
});

describe('back-pressure', () => {
  it('an agent waits while the journal cannot be written, loses no output, and goes on', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    host.journal.failNextCommits(3);
    const { output } = host.agent.turn;
    await output.markdown('one ');
    await host.run();
    let isThrough = false;
    const written = output.markdown('two').then(() => {
      isThrough = true;
    });
    await host.run();
    expect(isThrough).toBe(false);
    await host.advance(5_000);
    await written;
    host.agent.turn.complete();
    await host.run();
    expect((await client.subscribe(chat)).state).toMatchObject({
      turns: [{ responseParts: [{ kind: 'markdown', content: 'one two' }], state: 'complete' }],
    });
  });

  it('an agent is released when its turn ends while the journal is down', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    host.journal.failNextCommits(3);
    const { output } = host.agent.turn;
    await output.markdown('one');
    await host.run();
    const written = output.markdown('two');
    host.agent.opened[0]?.host.exited('gone');
    await written;
    await host.advance(5_000);
    expect(errorsOf(client, chat)).toStrictEqual(['agentExited']);
  });

  it('an agent with much output sometimes waits for the journal', async () => {
    const { host, client, chat } = await setUp();
    await client.act(chat, start('a'));
    const gate = Promise.withResolvers<void>();
    host.journal.gates.beforeCommit = () => gate.promise;
    const { output } = host.agent.turn;
    let count = 0;
    const talk = (async () => {
      for (; count < 2_000; count += 1) await output.markdown('x');
    })();
    await host.run();
    expect(count).toBeLessThan(1_000);
    host.journal.gates.beforeCommit = undefined;
    gate.resolve();
    await host.run();
    await talk;
    expect(count).toBe(2_000);
  });
});
