export { createDemoProvider, type DemoProviderOptions, demoProviderId } from './demo/provider.ts';
export { keywordTable } from './demo/script.ts';
export type { Random } from './demo/seeded-random.ts';
export type { DemoTimers } from './demo/timers.ts';
