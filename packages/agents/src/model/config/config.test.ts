import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readModelAgents } from './config.ts';
import { findKey, storeKey } from './keys.ts';

const read = (entry: unknown) => readModelAgents({ agents: { mine: entry } }, '/c.json');

describe('an entry of the config file', () => {
  test('may have every key', () => {
    const entry = {
      displayName: 'Mine',
      description: 'Runs here',
      api: 'openai',
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKeyEnv: 'MY_KEY',
      apiKeyFile: '/keys/mine',
      models: [
        { id: 'a', name: 'A', contextWindow: 1, maxOutput: 1, images: true, price: { input: 1, output: 2 } },
      ],
    };
    expect(read({ kind: 'model', ...entry })).toEqual([{ id: 'mine', ...entry }]);
    expect(read({ kind: 'model', api: 'google', models: ['b'] })).toEqual([
      { id: 'mine', displayName: 'mine', api: 'google', models: [{ id: 'b' }] },
    ]);
  });

  test('of another kind, or disabled, gives no agent', () => {
    expect(read({ command: 'x' })).toEqual([]);
    expect(read({ kind: 'model', api: 'openai', enabled: false })).toEqual([]);
  });

  test.each([
    [{}, 'api: expected one of openai, openai-responses, anthropic, google, got nothing'],
    [{ api: 'openai', key: 'sk' }, 'key: unknown; expected one of kind, api'],
    [{ api: 'openai', baseUrl: 'file:///x' }, 'baseUrl: expected an http or https URL'],
    [{ api: 'openai', baseUrl: 'http://u:p@x' }, 'baseUrl: expected an http or https URL'],
    [{ api: 'openai', apiKeyFile: 'x' }, 'apiKeyFile: expected an absolute path'],
    [{ api: 'openai', apiKeyEnv: 'a b' }, 'apiKeyEnv: expected the name of an environment variable'],
    [{ api: 'openai', models: [] }, 'models: expected a list of model ids'],
    [{ api: 'openai', models: [{ name: 'x' }] }, 'models[0].id: expected the id of a model'],
    [{ api: 'openai', models: [{ id: 'x', price: { input: 1 } }] }, 'models[0].price.input: expected input'],
  ])('%j is refused with file, key, expected and actual value', (entry, message) => {
    expect(() => read({ kind: 'model', ...entry })).toThrow(`/c.json: agents.mine.${message}`);
  });
});

describe('a key', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'agenthost-keys-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const config = { id: 'mine', displayName: 'Mine', api: 'openai' } as const;

  test('that was stored is for its owner only, comes before the environment, and can be removed', async () => {
    const path = join(folder, 'keys', 'mine');
    const places = { keyFolder: join(folder, 'keys'), environment: { OPENAI_API_KEY: 'from-environment' } };
    expect(await findKey(config, places)).toBe('from-environment');
    await storeKey(path, ' sk-1\n');
    expect([readFileSync(path, 'utf8'), (statSync(path).mode & 0o777).toString(8)]).toEqual([
      'sk-1\n',
      '600',
    ]);
    expect((statSync(join(folder, 'keys')).mode & 0o777).toString(8)).toBe('700');
    expect(await findKey(config, places)).toBe('sk-1');
    await storeKey(path, '');
    expect(await findKey(config, places)).toBe('from-environment');
  });

  test('that others can read is refused, with what to do', async () => {
    const apiKeyFile = join(folder, 'key');
    writeFileSync(apiKeyFile, 'sk-1');
    chmodSync(apiKeyFile, 0o644);
    await expect(findKey({ ...config, apiKeyFile }, { environment: {} })).rejects.toThrow('chmod 600');
  });

  test('of a vendor is never sent to another server by accident', async () => {
    const environment = { OPENAI_API_KEY: 'sk-1' };
    expect(await findKey({ ...config, baseUrl: 'http://other' }, { environment })).toBeUndefined();
  });

  test('that no header can carry is not stored', async () => {
    await expect(storeKey(join(folder, 'key'), 'a\nb')).rejects.toThrow('one line of printable ASCII');
  });
});
