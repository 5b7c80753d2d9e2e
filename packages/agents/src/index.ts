export { ACP_CATALOGUE, mergeAgentConfigs } from './acp/config/catalogue.ts';
export {
  type AcpAgentConfig,
  type AcpAgentEntry,
  AgentConfigError,
  readAgentEntries,
} from './acp/config/config.ts';
export { KNOWN_PACKAGES, type KnownPackage } from './acp/config/known-packages.ts';
export { type AcpProvider, type AcpProviderOptions, createAcpProvider } from './acp/provider.ts';
export type { AcpLog, AcpTimers } from './acp/runtime.ts';
export type { DemoKeyword } from './demo/keywords.ts';
export { createDemoProvider, DEMO_PROVIDER_ID, type DemoProviderOptions } from './demo/provider.ts';
export type { Random } from './demo/scene.ts';
export { keywordTable } from './demo/script.ts';
export type { AddedStep, DemoStage, Step as DemoStep } from './demo/step.ts';
export type { DemoTimers } from './demo/timers.ts';
export {
  type ModelAgentConfig,
  type ModelApi,
  type ModelPrice,
  type NamedModel,
  readModelAgents,
} from './model/config/config.ts';
export { keyFileOf, storeKey } from './model/config/keys.ts';
export { createModelProvider, type ModelProviderOptions } from './model/provider.ts';
export { type PackageEntry, readPackageEntries } from './packages/package-entry.ts';
export {
  createPackageProvider,
  lookAtPackage,
  type PackageProviderOptions,
} from './packages/package-provider.ts';
