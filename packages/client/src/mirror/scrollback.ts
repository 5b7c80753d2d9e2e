import {
  type ChannelKind,
  type ChannelState,
  outputLength,
  outputParts,
  type TerminalContentPart,
  type TerminalState,
} from '@agenthost/protocol';

/**
 * UTF-16 units of a terminal's content that a mirror holds at most; past it, it keeps the newer half. Twice what a host
 * keeps, since hosts trim without an action, and both may do so on their own.
 */
export const TERMINAL_MIRROR_LIMIT = 2 * 1024 * 1024;

/** What a part costs besides its text, so that a million silent commands are bounded as well. */
const PART_COST = 64;

/**
 * A terminal whose content is within the limit: the state itself, or one with the oldest output left out [TERM-4]. What a host
 * folded goes first, since it shows what came before that.
 */
export function trimScrollback<S extends ChannelState[ChannelKind]>(state: S): S {
  if (!('content' in state) || !('claim' in state)) return state;
  if (sizeOfAll(state.content) <= TERMINAL_MIRROR_LIMIT) return state;
  const { 'x-trimmed': trimmed } = state;
  const content = trimContent(outputParts(state), TERMINAL_MIRROR_LIMIT);
  if (trimmed === undefined) return { ...state, content };
  const units = trimmed.units + outputLength(state) - outputLength({ content });
  return { ...state, content, 'x-trimmed': { units, isFolded: false } };
}

/** Content of at most `limit`: as it is, or its newer half, beginning at a line where there is one. */
export function trimContent(content: TerminalState['content'], limit: number): TerminalState['content'] {
  const size = sizeOfAll(content);
  if (size <= limit) return content;
  const excess = size - Math.floor(limit / 2);
  let dropped = 0;
  let index = 0;
  for (; index < content.length - 1; index += 1) {
    const part = content[index];
    if (part === undefined || dropped + sizeOf(part) > excess) break;
    dropped += sizeOf(part);
  }
  const [oldest, ...rest] = content.slice(index);
  if (oldest === undefined) return content;
  return [cutHead(oldest, excess - dropped), ...rest];
}

const sizeOfAll = (content: TerminalState['content']): number =>
  content.reduce((size, part) => size + sizeOf(part), 0);

const sizeOf = (part: TerminalContentPart): number =>
  part.type === 'command'
    ? part.output.length + part.commandLine.length + PART_COST
    : part.value.length + PART_COST;

function cutHead(part: TerminalContentPart, excess: number): TerminalContentPart {
  return part.type === 'command'
    ? { ...part, output: cutText(part.output, excess) }
    : { ...part, value: cutText(part.value, excess) };
}

/** Leaves out at least `excess` units, up to the next start of a line, or of a character where no line starts. */
function cutText(text: string, excess: number): string {
  if (excess <= 0) return text;
  const lineEnd = text.indexOf('\n', excess - 1);
  if (lineEnd >= 0) return text.slice(lineEnd + 1);
  const code = text.charCodeAt(excess);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? excess + 1 : excess);
}
