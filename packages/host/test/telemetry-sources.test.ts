import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startHost } from './host-fixture.ts';
import { mcpStage, SESSION, testServer } from './mcp-fixture.ts';
import { recordsIn, spansIn, TRACES, valueOf } from './telemetry-reading.ts';

const DEBUG = 'ahp-otlp://logs/debug';

describe('MCP servers', () => {
  test('[OTLP-1] [MCP-1] their log lines and failures are records of the session, and a call is a span with its server', async () => {
    const stage = await mcpStage({ mcpServers: { test: testServer() } });
    const { client, host } = stage;
    await client.request('subscribe', { channel: TRACES });
    await client.request('subscribe', { channel: DEBUG });
    await stage.inState('ready');
    await stage.turn();
    await stage.call('test__crash', { say: 'the secret input' });
    host.agent.turn.complete();
    await host.advance(200);
    const records = recordsIn(client, DEBUG).filter(
      (record) => valueOf(record, 'ahp.mcp.server.name') === 'test',
    );
    expect(records.map(({ body, severityText }) => [severityText, body.stringValue])).toEqual(
      expect.arrayContaining([
        ['DEBUG', 'an MCP server is ready'],
        ['DEBUG', 'out of luck'],
        ['WARN', 'an MCP server has failed'],
      ]),
    );
    for (const record of records) expect(valueOf(record, 'ahp.session.id')).toBe(SESSION);
    const call = spansIn(client).find(({ name }) => name === 'execute_tool test__crash');
    expect(call && valueOf(call, 'mcp.method.name')).toBe('tools/call');
    expect(call && valueOf(call, 'ahp.mcp.server.id')).toBe('mcp-host-test');
  });
});

describe('automations', () => {
  test('[OTLP-1] [RUN-2] a run is a span in the trace of its session, whose turns name the run', async () => {
    const host = await startHost({ automations: {} });
    const client = await host.client();
    await client.subscribe('ahp-automations://');
    await client.request('subscribe', { channel: TRACES });
    await client.request('subscribe', { channel: 'ahp-otlp://logs/info' });
    const automation = 'ahp-automation:/nightly';
    const definition = {
      title: 'Nightly',
      message: { text: 'the secret message', origin: { kind: 'automation' } },
      session: {},
      enabled: true,
      triggers: [],
    };
    await client.act('ahp-automations://', {
      type: 'automation/createRequested',
      resource: automation,
      definition,
    });
    const started = await client.request('runAutomation', {
      channel: 'ahp-automations://',
      automation,
      requestId: 'one',
    });
    await host.run();
    await host.advance(2_000);
    host.agent.turn.complete();
    await host.advance(200);
    const spans = spansIn(client);
    const run = spans.find(({ name }) => name === 'automation_run');
    const turn = spans.find(({ name }) => name.startsWith('invoke_agent'));
    const session = spans.find(({ name }) => name === 'session');
    expect(run?.traceId).toBe(turn?.traceId);
    expect(run?.parentSpanId).toBe(session?.spanId);
    expect(run && valueOf(run, 'ahp.automation_run.outcome')).toBe('completed');
    const uri = run && valueOf(run, 'ahp.automation_run.id');
    expect(JSON.stringify(started)).toContain(uri);
    for (const span of [turn, session]) {
      expect(span && valueOf(span, 'ahp.automation.id')).toBe(automation);
      expect(span && valueOf(span, 'ahp.automation_run.id')).toBe(uri);
    }
    const ended = recordsIn(client, 'ahp-otlp://logs/info').find(
      ({ eventName }) => eventName === 'ahp.automation_run.ended',
    );
    expect(ended?.body.stringValue).toBe('a run of an automation ended after 2.0 s: completed');
    expect(JSON.stringify([spans, ended])).not.toContain('secret');
  });
});

test('[OTLP-1] a run that cannot start is a span of its own, with the failure', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'automation-')));
  const host = await startHost({ automations: {}, roots: [folder] });
  const client = await host.client();
  await client.subscribe('ahp-automations://');
  await client.request('subscribe', { channel: TRACES });
  await client.act('ahp-automations://', {
    type: 'automation/createRequested',
    resource: 'ahp-automation:/broken',
    definition: {
      title: 'Broken',
      message: { text: 'go', origin: { kind: 'automation' } },
      session: { provider: 'puppet', workingDirectories: [pathToFileURL(folder).href] },
      enabled: true,
      triggers: [],
    },
  });
  rmSync(folder, { recursive: true });
  await client.request('runAutomation', {
    channel: 'ahp-automations://',
    automation: 'ahp-automation:/broken',
    requestId: 'one',
  });
  await host.run();
  await host.advance(200);
  const [run] = spansIn(client);
  expect(run?.name).toBe('automation_run');
  expect(run?.parentSpanId).toBeUndefined();
  expect(run && valueOf(run, 'error.type')).toBe('cannotStart');
  expect(run?.status).toEqual({ code: 2 });
  expect(host.logged).toContain('a run of an automation could not start');
});
