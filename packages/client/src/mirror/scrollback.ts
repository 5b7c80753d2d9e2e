import {
  type ChannelKind,
  type ChannelState,
  outputLength,
  outputParts,
  type TerminalContentPart,
  type TerminalState,
} from '@agenthost/protocol';

/**
 * Largest content of a terminal in a mirror, in UTF-16 code units. Beyond it the mirror keeps the newer half.
 * A host keeps less for clients that come later, by default 64 Ki and a screen. A mirror keeps what it has received.
 */
export const TERMINAL_MIRROR_LIMIT = 2 * 1024 * 1024;

/** Cost of a part besides its text, so that very many commands without output are bounded as well. */
const PART_COST = 64;

/**
 * Returns the state itself when the content is within the limit, else a state without the oldest output
 * [TERM-4]. A screen folded by the host is dropped first, because it shows what came before that output.
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

/** Content within `limit`: unchanged, or its newer half, which starts at a line where possible. */
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

/** Drops at least `excess` units, up to the next start of a line, or of a character when no line starts. */
function cutText(text: string, excess: number): string {
  if (excess <= 0) return text;
  const lineEnd = text.indexOf('\n', excess - 1);
  if (lineEnd >= 0) return text.slice(lineEnd + 1);
  const code = text.charCodeAt(excess);
  return text.slice(code >= 0xdc00 && code <= 0xdfff ? excess + 1 : excess);
}
