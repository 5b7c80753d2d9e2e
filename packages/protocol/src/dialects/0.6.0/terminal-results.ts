import { isObject, type Json, listOf, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const isEnd = (block: unknown): block is Json => isObject(block) && block.type === 'terminalComplete';

/** The content with the result of each command in a block of its own. */
function apart(value: Json): Json {
  const blocks = listOf(value.content);
  if (!blocks.some(isNew)) return value;
  const content = blocks.flatMap((block) => {
    if (!isNew(block)) return [block];
    const { resource, result } = block;
    const live = without(block, 'isPty', 'result');
    return isObject(result) ? [live, { type: 'terminalComplete', resource, ...result }] : [live];
  });
  return { ...value, content };
}

const isNew = (block: unknown): block is Json =>
  isObject(block) &&
  block.type === 'terminal' &&
  (Object.hasOwn(block, 'result') || Object.hasOwn(block, 'isPty'));

/** The content with each result in the block of its terminal. The result of a terminal that no block shows is text. */
function joined(value: Json): Json {
  const blocks = listOf(value.content);
  const ends = blocks.filter(isEnd);
  if (ends.length === 0) return value;
  const shown = new Set(
    blocks.flatMap((block) => (isObject(block) && block.type === 'terminal' ? [block.resource] : [])),
  );
  const content = blocks.flatMap((block) => {
    if (isEnd(block)) return shown.has(block.resource) ? [] : [{ type: 'text', text: block.preview ?? '' }];
    if (!isObject(block) || block.type !== 'terminal') return [block];
    const end = ends.findLast(({ resource }) => resource === block.resource);
    return [end === undefined ? block : { ...block, result: without(end, 'type', 'resource', 'cwd') }];
  });
  return { ...value, content };
}

/** The result of a command stood in a block after that of its terminal [CHAT-37]. */
export const terminalResults: Reshaping = {
  down: { shapes: { ToolCall: apart }, actions: { 'chat/toolCallContentChanged': apart } },
  up: { shapes: { ToolCall: joined }, actions: { 'chat/toolCallContentChanged': joined } },
};
