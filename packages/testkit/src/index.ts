export * from './agent-harness.ts';
export { FaultJournal, type JournalGates } from './fault-journal.ts';
