import type { ExportPart } from '@agenthost/client';
import { harmlessJson } from '../render/json-line.ts';

/** An export as one JSON document, in pieces as they come; each turn is a line of its own. */
export async function* jsonDocument(
  parts: AsyncIterable<ExportPart>,
): AsyncGenerator<string, void, undefined> {
  let chatCount = 0;
  // What closes the chat that is open.
  let end = '';
  let turnCount = 0;
  for await (const part of parts) {
    switch (part.type) {
      case 'session':
        yield `${withoutEnd(part.head)},\n"chats": [`;
        break;
      case 'chat':
        yield `${end}${chatCount > 0 ? ',' : ''}\n${withoutEnd(part.chat)},\n"turns": [`;
        chatCount += 1;
        turnCount = 0;
        end = '\n]}';
        break;
      case 'turn':
        yield `${turnCount > 0 ? ',' : ''}\n${harmlessJson(part.turn)}`;
        turnCount += 1;
        break;
      case 'openTurn':
        yield `\n],\n"openTurn": ${harmlessJson(part.turn)}`;
        end = '}';
        break;
    }
  }
  yield `${end}\n]}\n`;
}

const withoutEnd = (value: object): string => harmlessJson(value).slice(0, -1);
