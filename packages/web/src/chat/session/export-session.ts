import type { SessionHandle } from '@agenthost/client';
import type { HostLink } from '../../live/host-link.ts';
import { saveBytes } from '../transcript/blob-url.ts';

/** Saves a session as a JSON file that `agenthost import` reads. */
export async function exportSession(link: HostLink, session: SessionHandle): Promise<void> {
  if (link.client === undefined) throw new Error('not connected');
  const pieces: string[] = [];
  let chatCount = 0;
  let turnCount = 0;
  /** Text that closes the last chat. */
  let end = '';
  for await (const part of link.client.sessions.export(session.uri)) {
    switch (part.type) {
      case 'session':
        pieces.push(withoutEnd(part.head), ',\n"chats": [');
        break;
      case 'chat':
        pieces.push(end, chatCount > 0 ? ',\n' : '\n', withoutEnd(part.chat), ',\n"turns": [');
        chatCount += 1;
        turnCount = 0;
        end = '\n]}';
        break;
      case 'turn':
        pieces.push(turnCount > 0 ? ',\n' : '\n', JSON.stringify(part.turn));
        turnCount += 1;
        break;
      case 'openTurn':
        pieces.push('\n],\n"openTurn": ', JSON.stringify(part.turn));
        end = '}';
        break;
    }
  }
  pieces.push(end, '\n]}\n');
  const name = session.mirror.state.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60);
  saveBytes(new Blob(pieces), `${name === '' ? 'session' : name}.json`);
}

const withoutEnd = (value: object): string => JSON.stringify(value).slice(0, -1);
