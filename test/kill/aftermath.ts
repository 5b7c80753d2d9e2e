import type { AhpClient } from '@agenthost/client';
import { type ChatState, ROOT_URI, type Turn } from '@agenthost/protocol';
import type { SeededRandom } from '@agenthost/testkit';
import { expect } from 'vitest';
import { callsOf } from '../terminals/stage.ts';

/** Contents that are read after each kill, as a sample. */
const CONTENTS_READ = 3;
/** The unique word at the start of each message. */
const WORD = /^say (word[0-9a-f]+)/;

/** Reads some of the contents that turns refer to. Resolves with their number. Fails when one differs from the output of the demo agent. */
export async function checkContents(
  client: AhpClient,
  turns: readonly Turn[],
  random: SeededRandom,
): Promise<number> {
  const uris = turns
    .flatMap((turn) => callsOf(turn))
    .flatMap((call) => ('content' in call ? (call.content ?? []) : []))
    .flatMap((block) => (block.type === 'resource' ? [block.uri] : []));
  const some = uris.length === 0 ? [] : Array.from({ length: CONTENTS_READ }, () => random.pick(uris));
  for (const uri of new Set(some)) {
    const { data } = await client.request('resourceRead', { channel: ROOT_URI, uri });
    expect(data, uri).toMatch(/^line 0000000001\n(?:line \d{10}\n)+$/);
  }
  return new Set(some).size;
}

/** Searches for the session's title and the newest message of each chat. Resolves with the number of hits. Fails when one is missing. */
export async function checkSearch(
  client: AhpClient,
  title: string,
  chats: readonly ChatState[],
): Promise<number> {
  const items = async (query: string) =>
    (await client.request('x-searchSessions', { channel: ROOT_URI, query, limit: 100 })).items;
  expect(
    (await items(`"${title}"`)).some(({ field, session }) => field === 'title' && session.title === title),
    title,
  ).toBe(true);
  let count = 1;
  for (const { turns } of chats) {
    const last = turns.at(-1);
    const word = WORD.exec(last?.message.text ?? '')?.[1];
    if (last === undefined || word === undefined) continue;
    const hits = await items(word);
    expect(hits, word).toContainEqual(expect.objectContaining({ turnId: last.id, field: 'message' }));
    count += 1;
  }
  return count;
}
