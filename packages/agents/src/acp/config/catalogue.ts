import { defined } from '@agenthost/protocol/values';
import { type AcpAgentConfig, type AcpAgentEntry, AgentConfigError } from './config.ts';

/**
 * Known agents that speak the Agent Client Protocol, with their settings. The host offers those whose command
 * is on its PATH.
 */
export const ACP_CATALOGUE: readonly AcpAgentConfig[] = [
  {
    id: 'claude',
    displayName: 'Claude Code',
    description: 'Anthropic Claude Code through its ACP adapter',
    command: 'claude-agent-acp',
    readsFolders: ['.claude'],
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    envAllow: ['ANTHROPIC_*', 'CLAUDE_*', 'AWS_*', 'GOOGLE_*', 'VERTEX_*', 'CLOUD_ML_REGION'],
    // The adapter includes Claude Code, without its command.
    signIn: 'claude-agent-acp --cli auth login',
    loginHint: 'run `claude-agent-acp --cli auth login`, or set ANTHROPIC_API_KEY for the host',
  },
  {
    id: 'codex',
    displayName: 'Codex',
    description: 'OpenAI Codex through its ACP adapter',
    command: 'codex-acp',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    envAllow: ['OPENAI_*', 'CODEX_*', 'NO_BROWSER'],
    // It starts servers in the background of a new session.
    listsToolsLate: true,
    // The adapter includes Codex, without its command.
    signIn: 'npx @openai/codex login',
    loginHint:
      'run `npx @openai/codex login`, or with an API key on its input `npx @openai/codex login --with-api-key`',
  },
  {
    id: 'gemini',
    displayName: 'Gemini CLI',
    description: 'Google Gemini CLI',
    command: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    args: ['--acp'],
    envAllow: ['GEMINI_*', 'GOOGLE_*'],
    signIn: 'gemini',
    loginHint: 'run `gemini` once and log in, or set GEMINI_API_KEY for the host',
    // With it, Gemini CLI reads every file through the host before it writes it, and fails to write a new
    // file.
    offersReadTextFile: false,
  },
  {
    id: 'qwen',
    displayName: 'Qwen Code',
    description: 'Qwen Code',
    command: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    args: ['--acp'],
    envAllow: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*', 'GEMINI_*', 'GOOGLE_*'],
    signIn: 'qwen',
    loginHint: 'run `qwen` once and log in, or set OPENAI_API_KEY and OPENAI_BASE_URL for the host',
  },
  {
    id: 'opencode',
    displayName: 'OpenCode',
    description: 'OpenCode',
    command: 'opencode',
    install: 'npm install -g opencode-ai',
    args: ['acp'],
    envAllow: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', 'GOOGLE_*', 'OPENROUTER_*', 'AWS_*'],
    signIn: 'opencode auth login',
    loginHint: 'run `opencode auth login`',
  },
];

/**
 * Applies the entries of a config file to the catalogue. An entry with a known id changes the fields that it names, another one adds an agent, and
 * `enabled: false` removes one. Throws `AgentConfigError` for a new agent without a command.
 * @param file Path of the config file, for messages.
 */
export function mergeAgentConfigs(
  catalogue: readonly AcpAgentConfig[],
  entries: readonly AcpAgentEntry[],
  file: string,
): AcpAgentConfig[] {
  const merged = new Map(catalogue.map((agent) => [agent.id, agent]));
  for (const { enabled, ...entry } of entries) {
    if (enabled === false) {
      merged.delete(entry.id);
      continue;
    }
    const known = merged.get(entry.id);
    const command = entry.command ?? known?.command;
    if (command === undefined) {
      throw new AgentConfigError(
        `${file}: agents.${entry.id}.command: expected a command, since ${entry.id} is not one of the known agents (${catalogue
          .map(({ id }) => id)
          .join(', ')})`,
      );
    }
    const displayName = entry.displayName ?? known?.displayName ?? entry.id;
    // Commands that install it and sign in belong to the known command only.
    const own = command === known?.command ? known : undefined;
    const { install: _, signIn: __, ...rest } = { ...known, ...entry, command, displayName };
    const commands = defined({
      install: entry.install ?? own?.install,
      signIn: entry.signIn ?? own?.signIn,
    });
    merged.set(entry.id, { ...rest, ...commands });
  }
  return [...merged.values()];
}
