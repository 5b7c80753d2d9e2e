// The checks that any provider can run, on those that talk to a program and to a model API.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providerChecks } from '@agenthost/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedAgent, steps } from './acp-chats.ts';
import { API_PATHS, ModelStage } from './model/model-chat.ts';

const workingDirectory = mkdtempSync(join(tmpdir(), 'agenthost-contract-'));
afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));

describe('an agent that speaks the Agent Client Protocol', () => {
  const checks = providerChecks({
    createProvider: () => scriptedAgent(),
    workingDirectory,
    prompt: steps({ say: 'Hello' }),
    endlessPrompt: steps({ say: 'Begun' }, { waitForCancel: { stopReason: 'cancelled' } }),
  });
  test.each(checks)('$title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe.each(API_PATHS)('an agent over %s', (api) => {
  const stage = new ModelStage();
  beforeAll(() => {
    stage.mock.on({}, { content: 'Hello' });
  });
  afterAll(() => stage.end());
  const checks = providerChecks({ createProvider: () => stage.provider(api), workingDirectory });
  test.each(checks)('$title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
