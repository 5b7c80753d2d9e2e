import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentProvider, AgentSession } from '@agenthost/host/agent';
import { afterAll, describe, expect, test } from 'vitest';
import { createDemoProvider } from '../demo/provider.ts';
import { createPackageProvider } from '../packages/package-provider.ts';
import { type ProviderUnderTest, providerChecks } from './provider-checks.ts';

const workingDirectory = mkdtempSync(join(tmpdir(), 'agenthost-checks-'));
afterAll(() => rmSync(workingDirectory, { recursive: true, force: true }));

describe('the demo agent', () => {
  const under = {
    createProvider: () => createDemoProvider(),
    workingDirectory,
    prompt: 'say hello',
    endlessPrompt: 'hang',
  };
  test.each(providerChecks(under))('$title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

describe('the template of docs/agent-providers.md, as a package', () => {
  const page = readFileSync(new URL('../../../../docs/agent-providers.md', import.meta.url), 'utf8');
  const template = /```ts\n([^]*?)\n```/.exec(page)?.[1] ?? '';
  writeFileSync(join(workingDirectory, 'index.ts'), template);
  writeFileSync(join(workingDirectory, 'package.json'), '{"type":"module","exports":"./index.ts"}');
  const children = { record: async () => undefined, forget: () => undefined };
  const createProvider = () =>
    createPackageProvider(
      { id: 'mine', package: workingDirectory },
      { folders: [], children, log: () => undefined },
    );
  test.each(providerChecks({ createProvider, workingDirectory }))('$title', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

/** Titles of the checks that fail, with what they say. */
async function failures(
  provider: Partial<AgentProvider>,
  session: Partial<AgentSession>,
  patienceMs?: number,
): Promise<Record<string, string>> {
  const whole: AgentSession = {
    runTurn: (_, output) => output.markdown('hi'),
    close: async () => undefined,
    terminate: async () => undefined,
    ...session,
  };
  const under: ProviderUnderTest = {
    workingDirectory,
    ...(patienceMs === undefined ? {} : { patienceMs }),
    createProvider: () => ({
      id: 'bad',
      describe: () => ({ provider: 'bad', displayName: 'Bad', description: '', models: [] }),
      availability: async () => ({ available: true }),
      openSession: async (_, signal) => {
        signal.throwIfAborted();
        return whole;
      },
      dispose: async () => undefined,
      ...provider,
    }),
  };
  const failed: Record<string, string> = {};
  for (const { title, run } of providerChecks(under)) {
    const error: unknown = await run().catch((cause: unknown) => cause);
    if (error !== undefined) failed[title] = String(error);
  }
  return failed;
}

describe('a provider', () => {
  test('that keeps the contract passes', async () => {
    expect(await failures({}, {})).toEqual({});
  });

  test('that breaks a rule fails the check of this rule, with the reason', async () => {
    expect(await failures({ availability: async () => ({ available: false }) }, {})).toEqual({
      'says whether it is available, and why not': expect.stringContaining('must give a reason'),
    });
    expect(
      await failures(
        {
          describe: () => ({
            provider: 'bad',
            displayName: '',
            description: '',
            models: [{ id: 'm', provider: 'other', name: 'M' }],
          }),
        },
        {},
      ),
    ).toEqual({
      'describes itself without being started': expect.stringContaining('of the model m must be bad'),
    });
    const openCall: AgentSession['runTurn'] = async (_, output) => {
      await output.markdown('hi');
      output.toolCall({ toolName: 'x', displayName: 'X' });
    };
    expect(Object.values(await failures({}, { runTurn: openCall }))).toEqual([
      expect.stringContaining('tool calls must be completed: call-1'),
      expect.stringContaining('tool calls must be completed: call-1'),
    ]);
  });

  test('that hangs fails, and the check ends', async () => {
    const never = () => new Promise<never>(() => undefined);
    expect(await failures({ availability: never }, {}, 20)).toEqual({
      'says whether it is available, and why not': expect.stringContaining('must settle within 0.02 s'),
    });
  });
});
