export { ChildProcesses, type ChildProcessesOptions } from './agents/child-processes.ts';
export type * from './agents/process.ts';
export type * from './agents/provider.ts';
export { AgentError } from './agents/provider.ts';
export type * from './journal/journal.ts';
export { JournalError } from './journal/journal.ts';
export { MemoryDisk } from './journal/memory-disk.ts';
export { MemoryJournal } from './journal/memory-journal.ts';
export { SqliteJournal, type SqliteJournalOptions } from './journal/sqlite-journal.ts';
