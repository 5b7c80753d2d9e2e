import { type ChatSummary, ROOT_URI } from '@agenthost/protocol';
import { PASSING_CHAT, SESSION } from '../deeds/act.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { SimClient } from './sim-client.ts';
import type { World } from './world.ts';

/** The session's chats, as somebody sees them. */
function entriesOf({ clients }: World): ChatSummary[] {
  const session = clients.flatMap((each) => each.mirror(SESSION, 'session')?.state ?? [])[0];
  return session?.chats ?? [];
}

const isWorker = ({ origin }: ChatSummary): boolean => origin?.kind === 'tool';

/** URIs of the session's chats that anybody may dispose of. */
export const chatsThatPass = (world: World): string[] =>
  entriesOf(world)
    .filter((entry) => isWorker(entry) || entry.resource.startsWith(PASSING_CHAT))
    .map(({ resource }) => resource);

/** What there is to look at: of the many workers the latest, and of the other sessions their chats too. */
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

/** Where somebody might fork what they look at: mostly at a turn that has ended. */
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

/** Terminals that come and go: those that somebody made, and those of commands, as far as anybody sees them. */
export function terminalsOf({ clients, terminals }: World): string[] {
  const [root] = clients.flatMap((each) => each.mirror(ROOT_URI, 'root')?.state ?? []);
  return [...terminals, ...(root?.terminals ?? []).map(({ resource }) => resource)];
}
