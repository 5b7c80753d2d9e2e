import type { Message } from '../chat/message.ts';
import type { ToolResultContent } from '../chat/tool-call.ts';
import type { StateAction } from '../wire/envelope.ts';
import { INLINE_ATTACHMENT } from './channels.ts';
import { LimitWalk } from './walk.ts';

/** Longest block of a tool's result that stays in the state unchanged, in characters. */
const INLINE_BLOCK = 64 * 1_024;

/** Number of characters of an action that the host stores outside of the state. */
export function lengthApart(action: StateAction): number {
  switch (action.type) {
    case 'chat/turnStarted':
    case 'chat/pendingMessageSet':
      return attachedLength(action.message);
    case 'chat/draftChanged':
      return action.draft === undefined ? 0 : attachedLength(action.draft);
    case 'chat/toolCallContentChanged':
      return sum(action.content, blockLength);
    case 'chat/toolCallComplete': {
      const { content = [], structuredContent } = action.result;
      const structured =
        structuredContent === undefined
          ? 0
          : new LimitWalk().weigh(structuredContent, { name: 'structuredContent', parent: '' }, '');
      return sum(content, blockLength) + structured;
    }
    default:
      return 0;
  }
}

/** Number of characters of a request that the host stores outside of the state. `params` fit their schema. */
export function paramsApart(method: string, params: unknown): number {
  if (typeof params !== 'object' || params === null) return 0;
  if (method === 'resourceWrite' && 'data' in params && typeof params.data === 'string')
    return params.data.length;
  if (method === 'createChat' && 'initialMessage' in params && isMessage(params.initialMessage))
    return attachedLength(params.initialMessage);
  return 0;
}

/** Whether an embedded attachment is too long to stay within its message. */
export const isApart = ({ data }: { readonly data: string }): boolean => data.length > INLINE_ATTACHMENT.max;

function attachedLength({ attachments = [] }: Pick<Message, 'attachments'>): number {
  return sum(attachments, (attachment) =>
    attachment.type === 'embeddedResource' && isApart(attachment) ? attachment.data.length : 0,
  );
}

function blockLength(block: ToolResultContent): number {
  const length = lengthOf(block);
  return length > INLINE_BLOCK ? length : 0;
}

function lengthOf(block: ToolResultContent): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'embeddedResource':
      return block.data.length;
    case 'terminal':
      return block.result?.preview?.length ?? 0;
    default:
      return 0;
  }
}

/** The check of the params has established the type. */
const isMessage = (value: unknown): value is Pick<Message, 'attachments'> =>
  typeof value === 'object' && value !== null;

function sum<T>(items: readonly T[], lengthOfItem: (item: T) => number): number {
  return items.reduce((total, item) => total + lengthOfItem(item), 0);
}
