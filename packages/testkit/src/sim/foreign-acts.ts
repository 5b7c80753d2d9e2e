import { userMessage } from '../builders.ts';
import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
import { type At, type Doc, doc, docs, since } from '../oracle/doc.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { ForeignClient } from './foreign-client.ts';
import type { Trace } from './trace.ts';

/** Lets a client of another implementation dispatch a plain or an invalid action. */
export function actAbroad(client: ForeignClient, random: SeededRandom, trace: Trace): void {
  if (!client.isOnline) return;
  const [channel, action] = deed(client, random);
  trace.note(client.name, `does on ${channel}: ${JSON.stringify(action)}`);
  client.dispatch(channel, action);
}

function deed(client: ForeignClient, random: SeededRandom): [string, Doc] {
  const { version, now } = client;
  const at: At = { version, now };
  const chat = client.states.get(SECOND_CHAT)?.state ?? {};
  const what = random.weighted({
    turn: 4,
    cancel: 1,
    queue: 2,
    draft: 2,
    title: 2,
    truncate: 0.5,
    nowhere: 1,
    wrong: 1,
  });
  switch (what) {
    case 'turn': {
      const turnId = `turn-${random.hex(8)}`;
      const times = since(at, '0.6.0') ? { startedAt: new Date(now).toISOString() } : {};
      return [SECOND_CHAT, { type: 'chat/turnStarted', turnId, ...times, message: messageOf(turnId) }];
    }
    case 'cancel': {
      const turn = doc(chat['activeTurn']);
      const times = since(at, '0.6.0') ? { duration: random.int(5_000) } : {};
      return [SECOND_CHAT, { type: 'chat/turnCancelled', turnId: turn['id'] ?? 'none', ...times }];
    }
    case 'queue': {
      const id = `queued-${random.hex(4)}`;
      return [SECOND_CHAT, { type: 'chat/pendingMessageSet', kind: 'queued', id, message: messageOf(id) }];
    }
    case 'draft':
      return [SECOND_CHAT, drafted(at, random)];
    case 'title':
      return [SESSION, { type: 'session/titleChanged', title: random.hex(6) }];
    case 'truncate': {
      const turnId = docs(chat['turns']).at(-2)?.['id'] ?? 'none';
      return [SECOND_CHAT, { type: 'chat/truncated', turnId }];
    }
    case 'nowhere':
      return ['ahp-chat:/nowhere', { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'none' }];
    case 'wrong':
      return [SESSION, { type: 'chat/truncated' }];
    default:
      return what satisfies never;
  }
}

/** A draft; before 0.5 there were none. */
const drafted = (at: At, random: SeededRandom): Doc =>
  since(at, '0.5.0')
    ? { type: 'chat/draftChanged', draft: messageOf(random.hex(5)) }
    : { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'none' };

const messageOf = (text: string): Doc => ({ ...userMessage(text) });
