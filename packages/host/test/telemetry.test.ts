import { approved, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';
import { items, payloads, recordsIn, spansIn, TRACES, valueOf } from './telemetry-reading.ts';

const ms = (nano: string): number => Number(nano.slice(0, -6));

const join = (client: RawClient, channel: string): Promise<unknown> =>
  client.request('subscribe', { channel });

async function startTurn(host: HostFixture, client: RawClient, chat: string, turnId: string): Promise<void> {
  await client.act(chat, turnStarted(turnId, 'the secret message'));
  await host.run();
}

/** Plays a turn of 3 s: a model call, a tool that waits 1 s for approval and runs 500 ms, and another model call. */
async function playTurn(
  host: HostFixture,
  client: RawClient,
  chat: string,
  turnId = 'turn-1',
): Promise<void> {
  await startTurn(host, client, chat, turnId);
  const { output, complete } = host.agent.turn;
  await host.advance(1_000);
  void output.markdown('first words');
  const call = output.toolCall({ toolCallId: 'call-1', toolName: 'shell', displayName: 'Shell' });
  output.usage({ inputTokens: 100, outputTokens: 20 });
  const confirming = call.confirm({
    invocationMessage: 'Run the secret command',
    toolInput: '{"command":"the secret input"}',
  });
  await host.advance(1_000);
  await client.act(chat, approved(turnId, 'call-1'));
  await host.run();
  await confirming;
  await host.advance(500);
  await call.complete({
    success: true,
    pastTenseMessage: 'Ran',
    content: [{ type: 'text', text: 'the secret result' }],
  });
  await host.advance(500);
  void output.markdown('last words');
  output.usage({ inputTokens: 250, outputTokens: 50, model: 'model-x' });
  complete();
  await host.advance(200);
}

describe('telemetry channels', () => {
  test('[OTLP-1] [SUB-1] initialize advertises logs, traces and metrics, and logs to admins only', async () => {
    const host = await startHost();
    const admin = await host.connect().initialize();
    expect(admin.telemetry).toEqual({
      logs: 'ahp-otlp://logs/{level}',
      traces: TRACES,
      metrics: 'ahp-otlp://metrics',
    });
    const observer = host.connect('watcher', { tokenHash: 'other', scope: 'observe' });
    expect((await observer.initialize()).telemetry).toEqual({
      traces: TRACES,
      metrics: 'ahp-otlp://metrics',
    });
    await expect(join(observer, 'ahp-otlp://logs/info')).rejects.toMatchObject({ code: -32009 });
    await expect(join(observer, TRACES)).resolves.toEqual({});
  });

  test.each([
    'ahp-otlp://logs/loud',
    'ahp-otlp://nothing',
    'ahp-otlp://metrics/x',
    'ahp-otlp://traces?turn=x',
  ])('[OTLP-1] an unknown channel %s answers -32008', async (channel) => {
    const host = await startHost();
    await expect(join(await host.client(), channel)).rejects.toMatchObject({ code: -32008 });
  });

  test('[OTLP-1] a turn is a span below its session, with spans of its model calls, its tool and the wait for approval', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await join(client, TRACES);
    await playTurn(host, client, chat);
    const spans = spansIn(client);
    const shape = spans.map(({ name, startTimeUnixNano, endTimeUnixNano }) => [
      name,
      ms(endTimeUnixNano) - ms(startTimeUnixNano),
    ]);
    expect(shape).toEqual([
      ['chat', 1_000],
      ['wait for approval', 1_000],
      ['execute_tool shell', 1_500],
      ['chat model-x', 500],
      ['session', 3_000],
      ['invoke_agent puppet', 3_000],
    ]);
    const byName = new Map(spans.map((span) => [span.name, span]));
    const session = byName.get('session');
    const turn = byName.get('invoke_agent puppet');
    const tool = byName.get('execute_tool shell');
    expect(turn?.parentSpanId).toBe(session?.spanId);
    expect(tool?.parentSpanId).toBe(turn?.spanId);
    expect(byName.get('wait for approval')?.parentSpanId).toBe(tool?.spanId);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([session?.traceId]));
    expect(session?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(turn && valueOf(turn, 'ahp.session.id')).toBe(SESSION);
    expect(turn && valueOf(turn, 'ahp.turn.id')).toBe('turn-1');
    expect(tool && valueOf(tool, 'ahp.tool_call.id')).toBe('call-1');
    expect(turn && valueOf(turn, 'gen_ai.usage.input_tokens')).toBe('250');
    expect(
      spans
        .filter(({ name }) => name.startsWith('chat'))
        .map((span) => valueOf(span, 'gen_ai.usage.input_tokens')),
    ).toEqual(['100', '150']);
  });

  test('[OTLP-1] no attribute has the text of a message, an input or a result, unless that is configured', async () => {
    const run = async (environment: Record<string, string>): Promise<string> => {
      const host = await startHost({ telemetry: { environment } });
      const client = await host.client();
      const { chat } = await host.session(client);
      await join(client, TRACES);
      await join(client, 'ahp-otlp://logs/trace');
      await playTurn(host, client, chat);
      return JSON.stringify([...spansIn(client), ...recordsIn(client, 'ahp-otlp://logs/trace')]);
    };
    expect(await run({})).not.toContain('secret');
    const text = await run({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    for (const part of ['the secret message', 'the secret input', 'the secret result'])
      expect(text).toContain(part);
  });

  test('[OTLP-1] secrets in prompts, inputs, headers, URLs and errors are removed, also where contents are recorded', async () => {
    const secret = 'hunter2-and-more';
    const run = async (environment: Record<string, string>): Promise<string> => {
      const host = await startHost({ telemetry: { environment } });
      const client = await host.client();
      const { chat } = await host.session(client);
      for (const channel of [TRACES, 'ahp-otlp://logs/trace', 'ahp-otlp://metrics'])
        await join(client, channel);
      await client.act(
        chat,
        turnStarted('turn-1', `clone https://ada:${secret}@host/a.git with MODEL_API_KEY=${secret}`),
      );
      await host.run();
      const { output, fail } = host.agent.turn;
      const call = output.toolCall({ toolCallId: 'call-1', toolName: 'fetch', displayName: 'Fetch' });
      const input = {
        url: `https://host/a?access_token=${secret}`,
        headers: { 'X-Api-Key': secret, Authorization: `Basic ${secret}`, cookie: `session=${secret}` },
      };
      call.run({ invocationMessage: `Fetch with ${secret}`, toolInput: JSON.stringify(input) });
      await call.complete({
        success: false,
        pastTenseMessage: 'Fetched',
        content: [{ type: 'text', text: `{"password": "${secret}"} sk-${secret}-0123456789` }],
        error: { message: `refused ?token=${secret}` },
      });
      fail(new Error(`the API refused Bearer ${secret}`));
      await host.advance(10_200);
      return JSON.stringify(client.frames.filter(({ method }) => method?.startsWith('otlp/')));
    };
    const plain = await run({});
    expect(plain).toContain('execute_tool fetch');
    expect(plain).not.toContain(secret);
    const text = await run({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    expect(text).toContain('clone https://[redacted]@host/a.git');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(secret);
  });

  test('[OTLP-1] logs have the severity that each subscription asks for, and the session of a turn', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await join(client, 'ahp-otlp://logs/info');
    await join(client, 'ahp-otlp://logs/error');
    await playTurn(host, client, chat);
    const records = recordsIn(client, 'ahp-otlp://logs/info');
    expect(records.map(({ eventName }) => eventName)).toEqual([
      'ahp.turn.started',
      'ahp.wait.ended',
      'ahp.tool_call.ended',
      'ahp.turn.ended',
    ]);
    for (const record of records) expect(valueOf(record, 'ahp.session.id')).toBe(SESSION);
    expect(recordsIn(client, 'ahp-otlp://logs/error')).toEqual([]);
    await startTurn(host, client, chat, 'turn-2');
    host.agent.turn.fail(new Error('broken'));
    await host.advance(200);
    const [failed] = recordsIn(client, 'ahp-otlp://logs/error').filter(
      ({ eventName }) => eventName !== undefined,
    );
    expect(failed?.body.stringValue).toMatch(/^a turn of puppet ended after 0\.0 s: error/);
  });

  test('a log channel with a tail begins with the last lines of the log', async () => {
    const host = await startHost({
      telemetry: { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'not a URL' } },
    });
    const client = await host.client();
    await join(client, 'ahp-otlp://logs/warn?tail=10');
    await host.run();
    const bodies = recordsIn(client, 'ahp-otlp://logs/warn?tail=10').map(({ body }) => body.stringValue);
    expect(bodies[0]).toMatch(/OTEL_EXPORTER_OTLP_ENDPOINT: expected an http or https URL, got "not a URL"/);
  });

  test('[OTLP-1] metrics come at once and then every ten seconds', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await join(client, 'ahp-otlp://metrics');
    await host.run();
    expect(payloads(client, 'otlp/exportMetrics', 'ahp-otlp://metrics')).toHaveLength(1);
    await playTurn(host, client, chat);
    await host.advance(10_000);
    const metrics = items<{ name: string; sum?: unknown; gauge?: unknown; histogram?: unknown }>(
      client,
      'otlp/exportMetrics',
      'ahp-otlp://metrics',
    );
    const last = (name: string): string => JSON.stringify(metrics.findLast((metric) => metric.name === name));
    expect(last('agenthost.turns')).toContain('"asDouble":1');
    expect(last('agenthost.connections')).toContain('"asDouble":1');
    expect(last('gen_ai.client.token.usage')).toContain('"sum":250');
    expect(last('gen_ai.client.operation.duration')).toContain('execute_tool');
    expect(last('agenthost.commits')).toMatch(/"asDouble":[1-9]/);
    expect(last('agenthost.outbox.waiting')).toContain('"unit":"By"');
  });

  test('[CONN-5] a telemetry subscription goes on after a reconnect, without a replay, and is not missing', async () => {
    const host = await startHost();
    const first = await host.client('one');
    const { chat } = await host.session(first);
    await join(first, TRACES);
    await playTurn(host, first, chat);
    const seen = Math.max(...first.envelopes().map(({ serverSeq }) => serverSeq));
    first.link.cut();
    await host.run();
    const second = host.connect('one');
    const answer = await second.reconnect(seen, [SESSION, chat, TRACES]);
    expect(answer).toMatchObject({ type: 'replay', missing: [] });
    await host.advance(1_000);
    expect(spansIn(second)).toEqual([]);
    await playTurn(host, second, chat, 'turn-2');
    expect(spansIn(second).map(({ name }) => name)).toContain('invoke_agent puppet');
  });

  test('[SUB-2] nothing comes after unsubscribe, and no timer runs', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    for (const channel of [TRACES, 'ahp-otlp://metrics', 'ahp-otlp://logs/info']) {
      await join(client, channel);
      client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel } });
    }
    await host.run();
    client.clear();
    await playTurn(host, client, chat);
    await host.advance(30_000);
    expect(client.frames.filter(({ method }) => method?.startsWith('otlp/'))).toEqual([]);
  });

  test('a connection may have 16 telemetry subscriptions', async () => {
    const host = await startHost();
    const client = await host.client();
    for (let tail = 0; tail < 16; tail += 1) await join(client, `ahp-otlp://logs/info?tail=${tail}`);
    await expect(join(client, TRACES)).rejects.toMatchObject({ code: -32602 });
    await expect(join(client, 'ahp-otlp://logs/info?tail=3')).resolves.toEqual({});
  });
});

describe('the spans of one turn', () => {
  const channelOf = (chat: string, turn: string): string =>
    `${TRACES}?${new URLSearchParams({ chat, turn }).toString()}`;

  test('come from the journal with the ids of the live ones, also after a restart', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await join(client, TRACES);
    await playTurn(host, client, chat);
    const live = spansIn(client).filter(({ name }) => name !== 'session');
    const channel = channelOf(chat, 'turn-1');
    await join(client, channel);
    await host.run();
    expect(spansIn(client, channel).filter(({ name }) => name !== 'session')).toEqual(live);
    await host.restart();
    const later = await host.client('later');
    await join(later, channel);
    await host.run();
    expect(spansIn(later, channel).filter(({ name }) => name !== 'session')).toEqual(live);
  });

  test('show a running turn so far', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await startTurn(host, client, chat, 'turn-1');
    await host.advance(700);
    await join(client, channelOf(chat, 'turn-1'));
    await host.run();
    const turn = spansIn(client, channelOf(chat, 'turn-1')).find(({ name }) =>
      name.startsWith('invoke_agent'),
    );
    expect(turn && valueOf(turn, 'ahp.turn.outcome')).toBe('open');
    expect(turn && ms(turn.endTimeUnixNano) - ms(turn.startTimeUnixNano)).toBe(700);
    host.agent.turn.complete();
    await host.run();
  });

  test('are an empty batch for a turn that does not exist', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await join(client, channelOf(chat, 'nothing'));
    await host.run();
    expect(payloads(client, 'otlp/exportTraces', channelOf(chat, 'nothing'))).toHaveLength(1);
    expect(spansIn(client, channelOf(chat, 'nothing'))).toEqual([]);
    expect(host.logged).toEqual([]);
  });
});

test('[OTLP-1] a host without readers makes no spans', async () => {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await playTurn(host, client, chat);
  // Nobody has read metrics, so the turn was not counted.
  await join(client, 'ahp-otlp://metrics');
  await host.run();
  const text = JSON.stringify(payloads(client, 'otlp/exportMetrics', 'ahp-otlp://metrics'));
  expect(text).toContain('agenthost.connections');
  expect(text).not.toContain('agenthost.turns"');
});
