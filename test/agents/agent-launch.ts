import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentPackage } from './agent-packages.ts';

/** A way to start an agent so that it connects only to a model on loopback. */
export interface AgentLaunch {
  readonly args: readonly string[];
  /** The whole environment, `PATH` and `HOME` included. */
  readonly env: Readonly<Record<string, string>>;
}

interface Recipe {
  readonly args: readonly string[];
  /** Files in the agent's temporary home, by relative path. */
  readonly files?: (modelUrl: string) => Record<string, string>;
  readonly env: (modelUrl: string, home: string) => Record<string, string>;
}

const recipes: Record<AgentPackage['id'], Recipe> = {
  opencode: {
    args: ['acp'],
    files: (modelUrl) => ({
      'opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        // For a file of code it would download a language server, and wait for it.
        lsp: false,
        formatter: false,
        model: 'mock/mock-model',
        small_model: 'mock/mock-model',
        permission: { edit: 'ask', bash: 'ask' },
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Mock',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'x' },
            models: {
              'mock-model': { name: 'Mock', tool_call: true, limit: { context: 100_000, output: 8_000 } },
            },
          },
        },
      }),
    }),
    env: (_, home) => ({ OPENCODE_CONFIG: join(home, 'opencode.json') }),
  },
  gemini: {
    args: ['--acp'],
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        // In an untrusted folder Gemini gives its model no tools of servers, and so none of clients.
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true },
        // Without a name it asks the model which model to use.
        model: { name: 'gemini-2.5-flash' },
      }),
    }),
    env: (modelUrl) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: modelUrl }),
  },
  qwen: {
    args: ['--acp', '--auth-type', 'openai'],
    env: (modelUrl) => ({
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: 'mock-model',
    }),
  },
  claude: {
    args: [],
    env: (modelUrl) => ({
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_MODEL: 'mock-model',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  codex: {
    args: [],
    files: (modelUrl) => ({
      'codex/config.toml': [
        'model = "mock-model"',
        'model_provider = "mock"',
        '[model_providers.mock]',
        'name = "Mock"',
        `base_url = "${modelUrl}/v1"`,
        'env_key = "MOCK_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    }),
    env: (_, home) => ({
      CODEX_HOME: join(home, 'codex'),
      MOCK_KEY: 'x',
      NO_BROWSER: '1',
      INITIAL_AGENT_MODE: 'read-only',
    }),
  },
};

/** Makes the agent's home in a folder that the caller removes. Resolves with the command and environment to start the agent. */
export async function prepareLaunch(
  id: AgentPackage['id'],
  modelUrl: string,
  home: string,
): Promise<AgentLaunch> {
  const recipe = recipes[id];
  await mkdir(home, { recursive: true });
  for (const [path, text] of Object.entries(recipe.files?.(modelUrl) ?? {})) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  return {
    args: recipe.args,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      // Loopback connections use no proxy. Other connections must not leave the machine.
      NO_PROXY: '127.0.0.1,localhost',
      ...recipe.env(modelUrl, home),
    },
  };
}
