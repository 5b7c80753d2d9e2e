import { openChat } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { scriptedAgent, steps, temporaryFolder } from './acp-chats.ts';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'yolo', name: 'YOLO', description: 'Everything' },
  ],
};
const models = {
  currentModelId: 'small',
  availableModels: [
    { modelId: 'small', name: 'Small', _meta: { contextLimit: 1000 } },
    { modelId: 'big', name: 'Big' },
  ],
};
const select = (id: string, category: string, currentValue: string, ...values: string[]): object => ({
  id,
  name: id,
  category,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
});

describe('modes, models and options', () => {
  it('modes alone are a mutable enum, set by session/set_mode', async () => {
    const chat = await openChat(scriptedAgent({ session: { modes } }), {
      workingDirectory: temporaryFolder(),
      config: { mode: 'yolo' },
    });
    expect(chat.host.configs.at(-1)).toEqual({
      schema: {
        type: 'object',
        properties: {
          mode: {
            type: 'string',
            title: 'Mode',
            enum: ['ask', 'yolo'],
            enumLabels: ['Ask', 'YOLO'],
            enumDescriptions: ['', 'Everything'],
            sessionMutable: true,
            default: 'yolo',
          },
        },
      },
      values: { mode: 'yolo' },
    });
    await chat.session.setConfig?.({ mode: 'ask' });
    const turn = chat.prompt(steps({ sayCalls: 'session/set_mode' }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject([{ modeId: 'yolo' }, { modeId: 'ask' }]);
  });

  it('[ROOT-4] of many choices the first are listed, and completions find the rest', async () => {
    const values = Array.from({ length: 60 }, (_, i) => `choice-${i}`);
    const provider = scriptedAgent({
      session: { modes, configOptions: [select('theme', 'other', 'choice-1', ...values)] },
    });
    const complete = (property: string, query: string) =>
      provider.completeConfig?.({ property, query, workingDirectory: '/', values: {} });
    expect(await complete('theme', '')).toBeUndefined();
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    const { theme, mode } = chat.host.configs.at(-1)?.schema.properties ?? {};
    expect(theme?.enumDynamic).toBe(true);
    expect(theme?.enum).toHaveLength(50);
    expect(mode?.enumDynamic).toBeUndefined();
    expect(await complete('theme', 'choice-59')).toEqual([{ value: 'choice-59', label: 'CHOICE-59' }]);
    expect(await complete('theme', '')).toHaveLength(60);
    expect(await complete('mode', 'yo')).toEqual([
      { value: 'yolo', label: 'YOLO', description: 'Everything' },
    ]);
    expect(await complete('other', '')).toBeUndefined();
  });

  it('models alone are listed, and the model of a message is set once', async () => {
    const provider = scriptedAgent({ session: { models } });
    let changes = 0;
    provider.onInfoChanged?.(() => {
      changes += 1;
    });
    expect(provider.describe().models).toEqual([]);
    const chat = await openChat(provider, { workingDirectory: temporaryFolder() });
    expect(changes).toBe(1);
    expect(provider.describe().models).toEqual([
      { id: 'small', provider: 'test', name: 'Small', maxContextWindow: 1000 },
      { id: 'big', provider: 'test', name: 'Big' },
    ]);
    expect(chat.host.configs).toEqual([]);
    await chat.prompt('a', { model: 'big' }).done;
    await chat.prompt('b', { model: 'big' }).done;
    const turn = chat.prompt(steps({ sayCalls: 'session/set_model' }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject([{ modelId: 'big' }]);
  });

  it('options alone define mode, model and other settings, including groups', async () => {
    const provider = scriptedAgent({
      session: {
        configOptions: [
          select('permission', 'mode', 'ask', 'ask', 'yolo'),
          select('model', 'model', 'small', 'small', 'big'),
          {
            ...select('effort', 'thought_level', 'low'),
            options: [
              {
                group: 'g',
                name: 'G',
                options: [
                  { value: 'low', name: 'Low' },
                  { value: 'high', name: 'High' },
                ],
              },
            ],
          },
          { id: 'web', name: 'Web', type: 'boolean', currentValue: false },
        ],
      },
    });
    const chat = await openChat(provider, {
      workingDirectory: temporaryFolder(),
      config: { mode: 'yolo', effort: 'high', web: true },
    });
    expect(provider.describe().models.map(({ id }) => id)).toEqual(['small', 'big']);
    expect(chat.host.configs.at(-1)?.values).toEqual({ mode: 'yolo', effort: 'high', web: true });
    const turn = chat.prompt(steps({ sayCalls: 'session/set_config_option' }), { model: 'big' });
    await turn.done;
    expect(JSON.parse(turn.output.text)).toMatchObject([
      { configId: 'permission', value: 'yolo' },
      { configId: 'effort', value: 'high' },
      { configId: 'web', value: true, type: 'boolean' },
      { configId: 'model', value: 'big' },
    ]);
  });

  it('modes and options together are one mode', async () => {
    const chat = await openChat(
      scriptedAgent({
        session: { modes, models, configOptions: [select('mode', 'mode', 'ask', 'ask', 'yolo')] },
      }),
      { workingDirectory: temporaryFolder() },
    );
    expect(Object.keys(chat.host.configs.at(-1)?.schema.properties ?? {})).toEqual(['mode']);
  });

  it('a change by the agent reaches the host and stays in effect', async () => {
    const chat = await openChat(scriptedAgent({ session: { modes } }), {
      workingDirectory: temporaryFolder(),
      config: { mode: 'ask' },
    });
    await chat.prompt(steps({ update: { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' } }))
      .done;
    expect(chat.host.configs.at(-1)?.values).toEqual({ mode: 'yolo' });
    // Another config value of the host does not restore the old mode.
    await chat.session.setConfig?.({ other: 1 });
    const turn = chat.prompt(steps({ sayCalls: 'session/set_mode' }));
    await turn.done;
    expect(JSON.parse(turn.output.text)).toEqual([]);
  });

  it('a model that the agent does not offer fails the turn with an error that lists the offered models', async () => {
    const chat = await openChat(scriptedAgent({ session: { models } }), {
      workingDirectory: temporaryFolder(),
    });
    const turn = chat.prompt('hi', { model: 'huge' });
    await expect(turn.done).rejects.toMatchObject({
      errorType: 'unknownModel',
      message: expect.stringContaining('has no model huge; it has small, big'),
    });
    expect(turn.output.text).toBe('');
  });

  it('a model for an agent without models is reported, and the turn continues', async () => {
    const chat = await openChat(scriptedAgent({}), { workingDirectory: temporaryFolder() });
    const turn = chat.prompt('hi', { model: 'huge' });
    await turn.done;
    expect(turn.output.events[0]).toEqual({
      kind: 'notify',
      content: expect.stringContaining('no choice of models'),
    });
    expect(turn.output.text).toBe('You said: hi');
  });

  it('a config value that the agent refuses leaves the session usable', async () => {
    const chat = await openChat(
      scriptedAgent({ session: { modes }, errors: { 'session/set_mode': { code: -32602, message: 'no' } } }),
      { workingDirectory: temporaryFolder(), config: { mode: 'yolo' } },
    );
    expect(chat.host.configs.at(-1)?.values).toEqual({ mode: 'ask' });
  });

  it('[ROOT-4] the config of a new session is that of the last session, or empty', async () => {
    const provider = scriptedAgent({ session: { modes } });
    const input = { workingDirectory: temporaryFolder(), values: {} };
    expect(await provider.resolveConfig?.(input)).toEqual({
      schema: { type: 'object', properties: {} },
      values: {},
    });
    await openChat(provider, { ...input, config: { mode: 'yolo' } });
    const resolved = await provider.resolveConfig?.({ ...input, values: { mode: 'yolo' } });
    expect(resolved?.schema.properties['mode']?.default).toBe('ask');
    expect(resolved?.values).toEqual({ mode: 'yolo' });
  });
});
