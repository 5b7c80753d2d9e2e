export { type HostAddress, openHost } from './link/open-host.ts';
export { type Difference, type ReplayOptions, type ReplayOutcome, replay } from './replay/play.ts';
export { EntryLines } from './replay/show.ts';
