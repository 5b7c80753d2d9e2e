export * from './agent-harness.ts';
