export type * from './agents/process.ts';
export type * from './agents/provider.ts';
export { AgentError } from './agents/provider.ts';
export type * from './journal/journal.ts';
export { JournalError } from './journal/journal.ts';
