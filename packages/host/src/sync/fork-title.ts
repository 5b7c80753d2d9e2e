import { TEXT_LIMITS } from '@agenthost/protocol';
import { beginningOf } from '../lib/beginning-of.ts';

/** The title of a copy, which says that it is one: "Port it (fork)", and of a copy of that "Port it (fork 2)". What has no title gets none. */
export function forkTitle(title: string): string {
  if (title === '') return '';
  const [, own = title, count = '1'] = /^(.*) \(fork(?: (\d{1,6}))?\)$/s.exec(title) ?? [];
  const suffix = own === title ? ' (fork)' : ` (fork ${Number(count) + 1})`;
  return `${beginningOf(own, TEXT_LIMITS.name.max - suffix.length)}${suffix}`;
}
