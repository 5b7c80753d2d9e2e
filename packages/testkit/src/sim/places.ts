import { type ChatSummary, ROOT_URI } from '@agenthost/protocol';
import { PASSING_CHAT, SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/** The session's chats as some client sees them. */
function entriesOf({ clients }: World): ChatSummary[] {
  const session = clients.flatMap((each) => each.mirror(SESSION, 'session')?.state ?? [])[0];
  return session?.chats ?? [];
}

const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';

/** URIs of the session's chats that may be disposed. */
export const chatsThatPass = (world: World): string[] =>
  entriesOf(world)
    .filter((entry) => isWorker(entry) || entry.resource.startsWith(PASSING_CHAT))
    .map(({ resource }) => resource);

/** URIs of the session's chats. */
export const chatsOf = (world: World): string[] => entriesOf(world).map(({ resource }) => resource);

/** Number of latest turns of each chat whose terminals are listed. */
const LATEST = 5;

/** Terminals that the latest turns of the clients' chats name. Many of them have ended. */
export function historyTerminals({ clients }: World): string[] {
  const turns = clients.flatMap((each) =>
    each.mirrors().flatMap(({ state }) => ('turns' in state ? state.turns.slice(-LATEST) : [])),
  );
  const calls = turns.flatMap(({ responseParts }) =>
    responseParts.flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : [])),
  );
  const contents = calls.flatMap((call) => ('content' in call ? (call.content ?? []) : []));
  return [...new Set(contents.flatMap((each) => (each.type === 'terminal' ? [each.resource] : [])))];
}

/** Channels to subscribe to: the session's chats with only the latest worker, and other sessions with their chats. */
export function channelsOf(world: World): string[] {
  const entries = entriesOf(world);
  const worker = entries.findLast(isWorker);
  const others = [...world.passing].flatMap((uri) => {
    const [session] = world.clients.flatMap((each) => each.mirror(uri, 'session')?.state ?? []);
    return [uri, ...(session?.chats ?? []).map(({ resource }) => resource)];
  });
  return [
    ...entries.filter((entry) => !isWorker(entry)).map(({ resource }) => resource),
    ...(worker === undefined ? [] : [worker.resource]),
    ...others,
  ];
}

/** A turn for a fork, usually one that has ended. */
export function forkSource(
  random: SeededRandom,
  client: SimClient,
): { chat: string; turnId: string } | undefined {
  const states = client.mirrors().flatMap(({ uri, state }) => ('turns' in state ? [{ uri, state }] : []));
  if (states.length === 0) return undefined;
  const { uri, state } = random.pick(states);
  const ids = [...state.turns.map(({ id }) => id), state.activeTurn?.id ?? 'none'];
  return { chat: uri, turnId: random.pick(ids) };
}

/** Temporary terminals, and all terminals that the first client with a root mirror sees. */
export function terminalsOf({ clients, terminals }: World): string[] {
  const [root] = clients.flatMap((each) => each.mirror(ROOT_URI, 'root')?.state ?? []);
  return [...terminals, ...(root?.terminals ?? []).map(({ resource }) => resource)];
}
