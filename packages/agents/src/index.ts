export { acpCatalogue, mergeAgentConfigs } from './acp/config/catalogue.ts';
export {
  type AcpAgentConfig,
  type AcpAgentEntry,
  AgentConfigError,
  readAgentEntries,
} from './acp/config/config.ts';
export { type AcpProvider, type AcpProviderOptions, createAcpProvider } from './acp/provider.ts';
export type { AcpLog, AcpTimers } from './acp/runtime.ts';
export { createDemoProvider, type DemoProviderOptions, demoProviderId } from './demo/provider.ts';
export { keywordTable } from './demo/script.ts';
export type { Random } from './demo/seeded-random.ts';
export type { DemoTimers } from './demo/timers.ts';
