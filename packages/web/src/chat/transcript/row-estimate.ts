import type { ChatState } from '@agenthost/protocol';
import { partOf, type Row, turnOf } from './rows.ts';

/** Characters of a line, and its height in pixels, in a column of usual width. */
const LINE_CHARACTERS = 85;
const LINE_PX = 24;

const CARD_PX = 46;
const REASONING_PX = 36;
const END_PX = 44;
const MESSAGE_BASE_PX = 88;
const MAX_MESSAGE_LINES = 18;

/** The expected height of a row in pixels, before it was measured. */
export function estimateRow(state: Pick<ChatState, 'turns' | 'activeTurn'>, row: Row): number {
  switch (row.kind) {
    case 'message': {
      const length = turnOf(state, row.turnId)?.message.text.length ?? 0;
      return MESSAGE_BASE_PX + Math.min(MAX_MESSAGE_LINES, Math.floor(length / 70)) * LINE_PX;
    }
    case 'text': {
      const part = partOf(state, row.turnId, row.index);
      const length = part?.kind === 'markdown' ? (row.chunk.end ?? part.content.length) - row.chunk.start : 0;
      return (Math.floor(length / LINE_CHARACTERS) + 1) * LINE_PX + 12;
    }
    case 'part':
      return partOf(state, row.turnId, row.index)?.kind === 'reasoning' ? REASONING_PX : CARD_PX;
    case 'explored':
      return CARD_PX;
    case 'end':
      return END_PX;
    default:
      return row satisfies never;
  }
}
