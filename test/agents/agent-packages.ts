import type { PackageToInstall } from '../../scripts/install-package.ts';

/** A third-party agent that the tests install and drive. */
export interface AgentPackage extends PackageToInstall {
  /** Folder under `.agents/`, and the provider id that the tests give it. */
  readonly id: 'opencode' | 'gemini' | 'qwen' | 'claude' | 'codex';
}

/** The agents that `npm run test:agents` drives, smallest download last so that the large ones start first. */
export const agentPackages: readonly AgentPackage[] = [
  { id: 'codex', packageName: '@agentclientprotocol/codex-acp', version: '2.6.0', bin: 'codex-acp' },
  { id: 'opencode', packageName: 'opencode-ai', version: '1.18.33', bin: 'opencode' },
  {
    id: 'claude',
    packageName: '@agentclientprotocol/claude-agent-acp',
    version: '0.49.0',
    bin: 'claude-agent-acp',
  },
  { id: 'gemini', packageName: '@google/gemini-cli', version: '0.61.0', bin: 'gemini' },
  { id: 'qwen', packageName: '@qwen-code/qwen-code', version: '0.15.10', bin: 'qwen' },
];
