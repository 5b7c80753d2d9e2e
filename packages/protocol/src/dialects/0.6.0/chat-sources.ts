import { isObject, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** New chats were empty or forks: there were no side chats, and messages could not attach chats. */
export const chatSources: Reshaping = {
  down: {
    shapes: {
      ChatOrigin: (origin) => (origin.kind === 'sideChat' ? { kind: 'user' } : origin),
      MessageAttachment: (attachment) =>
        attachment.type === 'chat'
          ? { ...without(attachment, 'resource', 'endTurn'), type: 'simple' }
          : attachment,
    },
  },
  up: {
    shapes: {
      CreateChatParams: (params) =>
        isObject(params.source) && !Object.hasOwn(params.source, 'kind')
          ? { ...params, source: { kind: 'fork', ...params.source } }
          : params,
    },
  },
};
