import type { URI } from '@agenthost/protocol';
import { shortId } from './ids.ts';

/** Sessions that are offered. */
const MAX_FOUND = 30;
/** Sessions that are looked at. */
const MAX_READ = 300;

/** A word that no shell takes for more than a word, nor a command for an option. Shells put it into the command line as it is. */
const PLAIN = /^\w[\w.-]*$/;

/** Adds the short ids of sessions that begin with `partial` to `found`, with their titles. Clients choose ids: those that are not plain words are left out. */
export async function collectSessions(
  sessions: AsyncIterable<{ readonly resource: URI; readonly title: string }>,
  partial: string,
  found: { word: string; description: string }[],
): Promise<void> {
  let count = 0;
  for await (const { resource, title } of sessions) {
    count += 1;
    const word = shortId(resource);
    if (PLAIN.test(word) && word.startsWith(partial)) found.push({ word, description: title });
    if (found.length >= MAX_FOUND || count >= MAX_READ) return;
  }
}
