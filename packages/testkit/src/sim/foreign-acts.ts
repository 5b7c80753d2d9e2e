import type { ClientAction } from '@agenthost/protocol';
import { turnCancelled, turnStarted, userMessage } from '../builders.ts';
import { SECOND_CHAT, SESSION } from '../deeds/act.ts';
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

function deed(client: ForeignClient, random: SeededRandom): [string, ClientAction] {
  const held = client.states.get(SECOND_CHAT)?.state;
  const chat = held !== undefined && 'turns' in held ? held : undefined;
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
    case 'turn':
      return [SECOND_CHAT, turnStarted(`turn-${random.hex(8)}`)];
    case 'cancel':
      return [SECOND_CHAT, turnCancelled(chat?.activeTurn?.id ?? 'none')];
    case 'queue': {
      const id = `queued-${random.hex(4)}`;
      return [SECOND_CHAT, { type: 'chat/pendingMessageSet', kind: 'queued', id, message: userMessage(id) }];
    }
    case 'draft':
      return [SECOND_CHAT, { type: 'chat/draftChanged', draft: userMessage(random.hex(5)) }];
    case 'title':
      return [SESSION, { type: 'session/titleChanged', title: random.hex(6) }];
    case 'truncate': {
      const turnId = chat?.turns.at(-2)?.id ?? 'none';
      return [SECOND_CHAT, { type: 'chat/truncated', turnId }];
    }
    case 'nowhere':
      return ['ahp-chat:/nowhere', { type: 'chat/draftChanged' }];
    case 'wrong':
      return [SESSION, { type: 'chat/draftChanged' }];
    default:
      return what satisfies never;
  }
}
