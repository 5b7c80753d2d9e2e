import type { McpAuthRequirement, SessionInputRequest } from '@agenthost/protocol';
import { text } from '../text/text.ts';
import { plainText } from './plain-text.ts';

/** The attribute by which a question in the transcript is found: the id of the input request or of the tool call. */
export const ASK_ATTRIBUTE = 'data-ask';

/** The value of that attribute for an open request. */
export const askKey = (entry: SessionInputRequest): string =>
  entry.kind === 'chatInput' ? entry.request.id : entry.toolCall.toolCallId;

/** The question on one line. */
export function askTitle(entry: SessionInputRequest): string {
  switch (entry.kind) {
    case 'chatInput': {
      const { message, questions = [], url } = entry.request;
      return oneLine(message ?? questions[0]?.title ?? questions[0]?.message ?? url ?? '');
    }
    case 'toolConfirmation': {
      const { toolCall } = entry;
      const title =
        toolCall.status === 'pending-confirmation' ? toolCall.confirmationTitle : toolCall.pastTenseMessage;
      return oneLine(plainText(title ?? toolCall.invocationMessage) || toolCall.displayName);
    }
    case 'toolAuthentication':
      return oneLine(text.questions.signInTitle(resourceName(entry.toolCall.auth)));
    case 'toolClientExecution':
      return oneLine(entry.toolCall.displayName);
    default:
      return entry satisfies never;
  }
}

/** The name of a resource for people, or its identifier. */
export const resourceName = ({ resource: { resource_name: name, resource } }: McpAuthRequirement): string =>
  name === undefined || name.trim() === '' ? resource : name;

/** The requests that a person can answer. */
export const answerable = (entries: readonly SessionInputRequest[]): readonly SessionInputRequest[] =>
  entries.filter(({ kind }) => kind !== 'toolClientExecution');

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
