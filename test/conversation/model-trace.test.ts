// The trace of a turn of the model agent, from the telemetry channel of a real host.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createModelProvider } from '@agenthost/agents';
import { type AhpClient, connect, type HostSpan, openTelemetry } from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';

const TOKEN = 'a-token-of-this-test-that-is-long-enough-for-a-host';
const SECRET = 'sk-secret-key-of-the-model';

const timers = {
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Each API: the path in front of all its paths, and its provider by the GenAI conventions. */
const APIS = [
  ['openai', '/v1', 'openai'],
  ['openai-responses', '/v1', 'openai'],
  ['anthropic', '/v1', 'anthropic'],
  ['google', '/v1beta', 'gcp.gemini'],
] as const;

const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output });

let folder: string;
let mock: LLMock;
let host: Host;
let client: AhpClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-trace-'));
  await writeFile(join(folder, 'a.txt'), 'apple\n');
  mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.on(
    { hasToolResult: false },
    { toolCalls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }], usage: usage(100, 10) },
  );
  mock.on({ hasToolResult: true }, { content: 'It says apple.', usage: usage(150, 7) });
  const base = await mock.start();
  const providerOf = ([api, path]: (typeof APIS)[number]) =>
    createModelProvider(
      {
        id: api,
        displayName: api,
        api,
        baseUrl: base + path,
        apiKeyEnv: 'MODEL_KEY',
        models: [{ id: 'stand-in' }],
      },
      { timers, environment: { MODEL_KEY: SECRET }, keyFolder: undefined },
    );
  host = createHost({
    dataDir: join(folder, 'data'),
    agents: APIS.map((api) => () => providerOf(api)),
    listen: { port: 0, token: TOKEN },
    roots: [folder],
    defaultDirectory: folder,
  });
  const address = await host.start();
  client = await connect(address?.wsUrl ?? '', {
    token: TOKEN,
    clientInfo: { name: 'test', version: '1' },
  });
});
afterAll(async () => {
  client.close();
  await host.stop();
  await mock.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each(APIS)(
  '[OTLP-1] each call of a model over %s, and each tool, is a span with the GenAI attributes',
  async (api, _, modelProvider) => {
    const live: HostSpan[] = [];
    const telemetry = await openTelemetry(client);
    const stop = await telemetry.spans((span) => live.push(span));
    const session = await client.sessions.create({
      provider: api,
      workingDirectories: [pathToFileURL(folder).href],
    });
    await session.prompt('What does a.txt say?').result;
    const { mirror } = session.chat;
    const turnId = mirror.state.turns[0]?.id ?? '';
    const waterfall = await telemetry.waterfallOfTurn(mirror.uri, turnId);
    const attribute = (name: string) =>
      waterfall?.rows.map(({ span: { attributes } }) => attributes[`gen_ai.${name}`]);
    expect(waterfall?.rows.map(({ span: { name }, depth }) => [depth, name])).toEqual([
      [0, `invoke_agent ${api}`],
      [1, 'chat stand-in'],
      [1, 'execute_tool read_file'],
      [1, 'chat stand-in'],
    ]);
    expect(attribute('operation.name')).toEqual(['invoke_agent', 'chat', 'execute_tool', 'chat']);
    expect(attribute('provider.name')).toEqual([api, modelProvider, api, modelProvider]);
    expect(attribute('request.model')?.filter((_, index) => index % 2 === 1)).toEqual([
      'stand-in',
      'stand-in',
    ]);
    expect(attribute('usage.input_tokens')).toEqual([250, 100, undefined, 150]);
    expect(attribute('usage.output_tokens')).toEqual([17, 10, undefined, 7]);
    // Live subscribers get the same spans with the same ids.
    const own = () => live.filter(({ name }) => name !== 'session');
    await expect.poll(() => own().length).toBe(4);
    const ids = waterfall?.rows.map(({ span: { id } }) => id) ?? [];
    expect(own().map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    const all = JSON.stringify(live);
    for (const content of ['What does', 'apple', 'a.txt', SECRET]) expect(all).not.toContain(content);
    stop();
    session.dispose();
  },
);
