// The trace of a turn of the model agent, from the telemetry channel of a real host.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createModelProvider } from '@agenthost/agents';
import { connect, type HostSpan, openTelemetry } from '@agenthost/client';
import { createHost } from '@agenthost/host';
import { LLMock } from '@copilotkit/aimock';
import { expect, onTestFinished, test } from 'vitest';

const TOKEN = 'a-token-of-this-test-that-is-long-enough-for-a-host';
const SECRET = 'sk-secret-key-of-the-model';

const timers = {
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

test('[OTLP-1] each call of the model and each tool of the model agent is a span with the GenAI attributes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-trace-'));
  await writeFile(join(folder, 'a.txt'), 'apple\n');
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  const usage = (input: number, output: number) => ({ prompt_tokens: input, completion_tokens: output });
  mock.on(
    { hasToolResult: false },
    { toolCalls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }], usage: usage(100, 10) },
  );
  mock.on({ hasToolResult: true }, { content: 'It says apple.', usage: usage(150, 7) });
  const baseUrl = `${await mock.start()}/v1`;
  const provider = createModelProvider(
    {
      id: 'mine',
      displayName: 'Mine',
      api: 'openai',
      baseUrl,
      apiKeyEnv: 'MODEL_KEY',
      models: [{ id: 'stand-in' }],
    },
    { timers, environment: { MODEL_KEY: SECRET }, keyFolder: undefined },
  );
  const host = createHost({
    dataDir: join(folder, 'data'),
    agents: [() => provider],
    listen: { port: 0, token: TOKEN },
    roots: [folder],
    defaultDirectory: folder,
  });
  const address = await host.start();
  const client = await connect(address?.wsUrl ?? '', {
    token: TOKEN,
    clientInfo: { name: 'test', version: '1' },
  });
  onTestFinished(async () => {
    client.close();
    await host.stop();
    await mock.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const live: HostSpan[] = [];
  const telemetry = await openTelemetry(client);
  await telemetry.spans((span) => live.push(span));
  const session = await client.sessions.create({ workingDirectories: [pathToFileURL(folder).href] });
  await session.prompt('What does a.txt say?').result;
  const { mirror } = session.chat;
  const turnId = mirror.state.turns[0]?.id ?? '';
  const waterfall = await telemetry.waterfallOfTurn(mirror.uri, turnId);
  const shown = waterfall?.rows.map(({ span: { name, attributes }, depth }) => [
    depth,
    name,
    attributes['gen_ai.operation.name'],
    attributes['gen_ai.usage.input_tokens'],
    attributes['gen_ai.usage.output_tokens'],
  ]);
  expect(shown).toEqual([
    [0, 'invoke_agent mine', 'invoke_agent', 250, 17],
    [1, 'chat stand-in', 'chat', 100, 10],
    [1, 'execute_tool read_file', 'execute_tool', undefined, undefined],
    [1, 'chat stand-in', 'chat', 150, 7],
  ]);
  const providers = waterfall?.rows.map(({ span: { attributes } }) => attributes['gen_ai.provider.name']);
  expect(providers).toEqual(['mine', 'openai', 'mine', 'openai']);
  // Live subscribers get the same spans with the same ids.
  await expect.poll(() => live.filter(({ name }) => name !== 'session').length).toBe(4);
  const ids = waterfall?.rows.map(({ span: { id } }) => id) ?? [];
  expect(live.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  const all = JSON.stringify(live);
  for (const content of ['What does', 'apple', 'a.txt', SECRET]) expect(all).not.toContain(content);
  session.dispose();
});
