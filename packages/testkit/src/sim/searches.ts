import {
  type ChatState,
  ROOT_URI,
  type SearchSessionsResult,
  type SessionSearchHit,
  type SessionState,
  type Turn,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { hostileTexts } from '../hostile-texts.ts';
import { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/** Words that an audit searches for. */
const WORDS_OF_AUDIT = 3;
/** Largest number of hits shown per session. */
const HITS_OF_SESSION = 3;
/** Longer answers are not searched completely. */
const SEARCHED_LENGTH = 32_768;

/** Longest word in a query; some agents produce longer texts without a space. */
const LONGEST_WORD = 400;

/** Lets a client search for a word that it sees, or with an unusual query. Notes each wrong hit as a fault. */
export function searchSomething(world: World, random: SeededRandom, client: SimClient): void {
  if (!client.isOnline) return;
  const words = [...wordsOf(client).keys()];
  const word = words.length === 0 ? 'nothing' : random.pick(words);
  const [query, exact] = random.pick([
    [`"${word}"`, word],
    [word.slice(0, 3), undefined],
    [`${word} ${random.hex(2)}`, undefined],
    [`" ${random.pick(['', '*', 'NOT', '\u0000'])}`, undefined],
  ] as const);
  const limit = random.pick([1, 3, 100]);
  const asked = random.chance(0.2) ? { query: hostileQuery(random, word) } : { query, exact };
  const look = (cursor?: string): void =>
    client.ask(
      'x-searchSessions',
      { channel: ROOT_URI, query: asked.query, limit, ...defined({ cursor }) },
      (result) => {
        checkHits(world, result, asked.exact, (message) => world.faults.note('search', message));
        if (result.nextCursor !== undefined && limit > 1) look(result.nextCursor);
      },
    );
  look();
}

/** A phrase or prefix that is expensive to search, or a repeated word. */
function hostileQuery(random: SeededRandom, word: string): string {
  const { phrase, beginning } = random.pick(hostileTexts);
  return random.pick([phrase, `${word} ${beginning}`, `"${`${word} `.repeat(100)}"`.slice(0, 1_000)]);
}

/** Checks that a search for visible words finds their turns and nothing else. Throws a `Violation`. */
export async function checkSearch(world: World, auditor: SimClient): Promise<void> {
  const random = SeededRandom.of(world.options.seed, `search/${world.report.of('audits')}`);
  const places = wordsOf(auditor);
  const words = [...places.keys()];
  for (let left = Math.min(WORDS_OF_AUDIT, words.length); left > 0; left -= 1) {
    const word = random.pick(words);
    const answer = auditor.client.request('x-searchSessions', {
      channel: ROOT_URI,
      query: `"${word}"`,
      limit: 100,
    });
    const [result] = await Promise.all([answer, world.quiesce()]);
    checkHits(world, result, word, (message) => {
      throw new Violation('search', message);
    });
    for (const hit of result.items) checkPresent(auditor, hit);
    for (const [session, turns] of places.get(word) ?? []) checkFound(result.items, { word, session, turns });
  }
}

/** Checks that a session was found. A turn is found in one of the chats that share it; a session shows its best hits. */
function checkFound(
  hits: readonly SessionSearchHit[],
  { word, session, turns }: { word: string; session: string; turns: ReadonlySet<string> },
): void {
  const isFound = hits.some(
    (hit) => hit.session.resource === session || (hit.turnId !== undefined && turns.has(hit.turnId)),
  );
  if (isFound) return;
  const counts = new Map<string, number>();
  for (const hit of hits) counts.set(hit.session.resource, (counts.get(hit.session.resource) ?? 0) + 1);
  if ([...counts.values()].some((count) => count >= HITS_OF_SESSION)) return;
  throw new Violation('search', `${session} has "${word}" and was not found`);
}

/** Checks that every hit is the final text of a turn, with correct marks. */
function checkHits(
  { archive, report }: World,
  { items }: SearchSessionsResult,
  word: string | undefined,
  onWrong: (message: string) => void,
): void {
  report.count('searches');
  report.count('searchHits', items.length);
  for (const hit of items) {
    const { turnId, snippet, matches, session } = hit;
    const marked = matches.map(([start, end]) => snippet.slice(start, end).toLowerCase());
    // A match longer than the snippet is marked as far as it is shown.
    const isMark = (each: string): boolean =>
      word === undefined ||
      each === word ||
      (word.startsWith(each) && snippet.toLowerCase().endsWith(`${each}…`));
    if (marked.length === 0 || !marked.every(isMark))
      onWrong(`"${word}" is marked as ${JSON.stringify(marked)} in ${JSON.stringify(snippet)}`);
    if (turnId === undefined) continue;
    const said = snippet.replace(/^…|…$/g, '');
    if (!archive.turnsOf(turnId).some((json) => textOf(JSON.parse(json)).includes(said)))
      onWrong(`${session.resource}: turn ${turnId} never said ${JSON.stringify(snippet)}`);
  }
}

/** Checks that the chat and the turn of a hit still exist, if the auditor holds them. */
function checkPresent(auditor: SimClient, { session, chat, turnId }: SessionSearchHit): void {
  const holder = auditor.mirror(session.resource, 'session')?.confirmed;
  if (holder === undefined) return;
  if (chat !== undefined && !holder.chats.some(({ resource }) => resource === chat))
    throw new Violation('search', `found ${chat}, which ${session.resource} does not have`);
  const held = chat === undefined ? undefined : auditor.mirror(chat, 'chat')?.confirmed;
  if (held === undefined || turnId === undefined || held.turnsNextCursor !== undefined) return;
  if (!held.turns.some(({ id }) => id === turnId))
    throw new Violation('search', `found turn ${turnId}, which ${chat} does not have`);
}

/** Words that a client sees, by word and session, with the turns that contain them. Titles have no turn. */
function wordsOf(client: SimClient): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  const add = (text: string, session: string, turnId?: string): void => {
    for (const word of text.toLowerCase().match(/[a-z0-9]{4,}/g) ?? []) {
      if (word.length > LONGEST_WORD) continue;
      const sessions = found.get(word) ?? new Map<string, Set<string>>();
      const turns = sessions.get(session) ?? new Set<string>();
      if (turnId !== undefined) turns.add(turnId);
      found.set(word, sessions.set(session, turns));
    }
  };
  for (const { uri, confirmed } of client.mirrors()) {
    if (!isSession(confirmed)) continue;
    add(confirmed.title, uri);
    for (const { resource } of confirmed.chats) {
      const chat = client.mirror(resource, 'chat')?.confirmed;
      for (const turn of isChat(chat) ? chat.turns : []) {
        const answer = textsOf(turn).join('\n');
        add(turn.message.text, uri, turn.id);
        if (answer.length <= SEARCHED_LENGTH) add(answer, uri, turn.id);
      }
    }
  }
  return found;
}

const textsOf = ({ responseParts }: Turn): string[] =>
  responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : []));

/** The searchable text of a turn, on one line. */
function textOf({ message, responseParts }: Turn): string {
  const pieces = responseParts.flatMap((part) => {
    if (part.kind === 'markdown') return [part.content];
    if (part.kind !== 'toolCall') return [];
    const { displayName, intention = '' } = part.toolCall;
    return [displayName, intention].filter((text) => text !== '');
  });
  return [message.text, pieces.join('\n')].join('\n').replaceAll(/[\s\p{Cc}]/gu, ' ');
}

const isSession = (state: object): state is SessionState => 'activeClients' in state;
const isChat = (state: object | undefined): state is ChatState => state !== undefined && 'turns' in state;
