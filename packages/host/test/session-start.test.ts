import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import type { OpenAgentSession } from '../src/agents/provider.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';
import type { RawClient } from './raw-client.ts';

/** An agent that starts when the test says so. */
class SlowAgent extends PuppetAgent {
  readonly asked: OpenAgentSession[] = [];

  override openSession(request: OpenAgentSession) {
    this.asked.push(request);
    return super.openSession(request);
  }
}

interface Frame {
  progressToken: string;
  progress: number;
  total?: number;
  message?: string;
}

const framesOf = (client: RawClient): Frame[] =>
  client.notifications('root/progress').map((params) => JSON.parse(JSON.stringify(params)));

async function slowHost(): Promise<{
  host: HostFixture;
  agent: SlowAgent;
  client: RawClient;
  start: PromiseWithResolvers<void>;
}> {
  const agent = new SlowAgent();
  const start = Promise.withResolvers<void>();
  agent.opening = start.promise;
  const host = await startHost({ agents: [() => agent] });
  const client = await host.client('asking', { initialSubscriptions: [ROOT] });
  return { host, agent, client, start };
}

const create = (client: RawClient, channel = SESSION, progressToken = 'p') =>
  client.request('createSession', { channel, progressToken });

describe('progress of a start', () => {
  test('[ROOT-3] rises step by step to its total, for the requesting client alone', async () => {
    const { host, agent, client, start } = await slowHost();
    const other = await host.client('other', { initialSubscriptions: [ROOT] });
    await create(client);
    await host.run();
    agent.asked[0]?.onStep?.('handshake');
    agent.asked[0]?.onStep?.('session');
    // A repeated or late step changes nothing.
    agent.asked[0]?.onStep?.('session');
    agent.asked[0]?.onStep?.('handshake');
    start.resolve();
    await host.run();
    agent.asked[0]?.onStep?.('session');
    await host.run();
    expect(framesOf(client)).toEqual([
      { channel: ROOT, progressToken: 'p', progress: 0, total: 3, message: 'Starting the agent' },
      { channel: ROOT, progressToken: 'p', progress: 1, total: 3, message: 'Waiting for the agent' },
      { channel: ROOT, progressToken: 'p', progress: 2, total: 3, message: 'Opening a conversation' },
      { channel: ROOT, progressToken: 'p', progress: 3, total: 3, message: 'Ready' },
    ]);
    expect(framesOf(other)).toEqual([]);
  });

  test('[ROOT-3] is not sent without a progress token', async () => {
    const { host, client, start } = await slowHost();
    await client.request('createSession', { channel: SESSION });
    start.resolve();
    await host.run();
    expect(framesOf(client)).toEqual([]);
  });

  test('[ROOT-3] ends with its total when the start fails, with the reason', async () => {
    const { host, client, start } = await slowHost();
    await create(client);
    start.reject(new Error('no such program'));
    await host.run();
    expect(framesOf(client).at(-1)).toMatchObject({ progress: 3, total: 3, message: 'no such program' });
  });

  test('[ROOT-3] ends with its total when the session is disposed of meanwhile, once', async () => {
    const { host, client, start } = await slowHost();
    await create(client);
    await client.request('disposeSession', { channel: SESSION });
    start.resolve();
    await host.run();
    expect(framesOf(client).map(({ progress }) => progress)).toEqual([0, 3]);
  });

  test('[ROOT-3] of a disconnected client does no harm', async () => {
    const { host, client, start } = await slowHost();
    const other = await host.client('other');
    await create(client);
    client.link.cut();
    await host.run();
    start.resolve();
    await host.run();
    expect((await other.subscribe(SESSION)).state).toMatchObject({ lifecycle: 'ready' });
    expect(framesOf(other)).toEqual([]);
    expect(host.logged).toEqual([]);
  });

  test('[ROOT-3] [SESS-1] a token is unique among the open requests of its client', async () => {
    const { host, client, start } = await slowHost();
    const other = await host.client('other');
    await create(client);
    await expect(create(client, 'ahp-session:/b')).rejects.toMatchObject({ code: -32602 });
    await create(client, 'ahp-session:/b', 'q');
    await create(other, 'ahp-session:/c');
    start.resolve();
    await host.run();
    await create(client, 'ahp-session:/d');
    // A failed request frees its token.
    const taken = create(client, SESSION, 'r');
    await expect(taken).rejects.toMatchObject({ code: -32003 });
    expect(framesOf(client).filter(({ progressToken }) => progressToken === 'r')).toEqual([]);
    await create(client, 'ahp-session:/e', 'r');
  });
});

describe('an agent that never answers', () => {
  test('[SESS-2] [ROOT-5] fails the creation after the time that the host allows, with a reason', async () => {
    const { host, client, start } = await slowHost();
    await client.act(ROOT, { type: 'root/configChanged', config: { agentStartTimeoutSeconds: 30 } });
    const { chat } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.advance(29_000);
    expect(client.types(SESSION)).not.toContain('session/creationFailed');
    await host.advance(2_000);
    const failed = client.envelopes(SESSION).find(({ action }) => action.type === 'session/creationFailed');
    expect(failed?.action).toMatchObject({
      error: { errorType: 'agentUnresponsive', message: 'The agent did not open a session within 30 s' },
    });
    expect(client.types(chat).at(-1)).toBe('chat/error');
    // An agent session that opens after all is closed.
    start.resolve();
    await host.run();
    expect((await client.subscribe(SESSION)).state).toMatchObject({ lifecycle: 'failed' });
  });

  test('[SESS-2] [CHAT-5] has two minutes by default, also in a turn of an older session', async () => {
    const { host, agent, client, start } = await slowHost();
    start.resolve();
    const { chat } = await host.session(client);
    await host.restart();
    agent.opening = new Promise(() => undefined);
    const again = await host.client('again');
    await again.subscribe(chat);
    await again.act(chat, turnStarted('t1'));
    await host.advance(119_000);
    expect(again.types(chat)).not.toContain('chat/error');
    await host.advance(2_000);
    expect(again.envelopes(chat).at(-1)?.action).toMatchObject({
      type: 'chat/error',
      part: { error: { errorType: 'agentUnresponsive' } },
    });
    agent.opening = Promise.resolve();
    await again.act(chat, turnStarted('t2'));
    await host.run();
    expect(agent.turn.input.turnId).toBe('t2');
  });

  test('[SESS-2] is closed when it answers after its time limit', async () => {
    const { host, agent, client, start } = await slowHost();
    await create(client);
    await host.advance(121_000);
    start.resolve();
    await host.run();
    expect(agent.closeCount).toBe(1);
  });
});
