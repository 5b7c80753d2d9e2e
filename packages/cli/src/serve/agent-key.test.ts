import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setAgentKey } from './agent-key.ts';
import { chooseAgents, reportAgents } from './agents.ts';
import { parseConfig } from './config.ts';

let keyFolder = '';
beforeEach(() => {
  keyFolder = mkdtempSync(join(tmpdir(), 'agenthost-keys-'));
});
afterEach(() => rmSync(keyFolder, { recursive: true, force: true }));

const config = parseConfig({ agents: { mine: { kind: 'model', api: 'openai' } } }, '/c.json');

test('a key is stored for an agent of the config, and for no other', async () => {
  const path = await setAgentKey(config, { id: 'mine', key: 'sk-1', keyFolder });
  expect(readFileSync(path, 'utf8')).toBe('sk-1\n');
  await expect(setAgentKey(config, { id: '../x', key: 'sk-1', keyFolder })).rejects.toThrow(
    'no agent ../x with "kind": "model"; it has mine',
  );
});

test('a model agent is offered, is the default when it is the only one, and says that it has no key', async () => {
  const places = { environment: { PATH: '/does/not/exist' }, file: '/c.json', dataDir: '/data', keyFolder };
  const { offered, defaultAgent } = chooseAgents(config, places);
  expect({ offered, defaultAgent }).toEqual({ offered: ['mine', 'demo'], defaultAgent: 'mine' });
  const reports = await reportAgents(config, places);
  expect(reports.find(({ id }) => id === 'mine')).toMatchObject({
    available: true,
    reason: 'no key: run `agenthost agents key mine`, or set OPENAI_API_KEY for the host',
  });
});

test('a model agent replaces a known one with its id, but not the built-in one', () => {
  const parse = (id: string) =>
    parseConfig({ agents: { [id]: { kind: 'model', api: 'openai' } } }, '/c.json');
  expect(
    chooseAgents(parse('claude'), { environment: {}, file: '/c.json', dataDir: '/data' }).offered,
  ).toEqual(['claude', 'demo']);
  expect(() => parse('demo')).toThrow(
    'agents.demo: demo is the id of the built-in agent; choose another one',
  );
});
