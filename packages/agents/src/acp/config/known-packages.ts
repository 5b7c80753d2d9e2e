/** The npm package of a known agent. */
export interface KnownPackage {
  readonly name: string;
  /** The version that this program was tested with. */
  readonly version: string;
}

/** Packages of the agents of `ACP_CATALOGUE`, by agent id. `npm run test:agents` tests these versions. */
export const KNOWN_PACKAGES: Readonly<Record<string, KnownPackage>> = {
  claude: { name: '@agentclientprotocol/claude-agent-acp', version: '0.49.0' },
  codex: { name: '@agentclientprotocol/codex-acp', version: '2.6.0' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0' },
  qwen: { name: '@qwen-code/qwen-code', version: '0.15.10' },
  opencode: { name: 'opencode-ai', version: '1.18.33' },
};
