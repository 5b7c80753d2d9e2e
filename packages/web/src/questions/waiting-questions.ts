import type { SessionInputRequest } from '@agenthost/protocol';
import { plainText } from './plain-text.ts';

/** The attribute by which a question in the transcript is found: the id of the input request or of the tool call. */
export const ASK_ATTRIBUTE = 'data-ask';

/** The value of that attribute for an open request. */
export const askKey = (entry: SessionInputRequest): string =>
  entry.kind === 'chatInput' ? entry.request.id : entry.toolCall.toolCallId;

/** One line that tells what is asked. */
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
    case 'toolClientExecution':
      return oneLine(entry.toolCall.displayName);
  }
}

/** The requests that a person can answer, without those that a person sees already. */
export const hiddenQuestions = (
  entries: readonly SessionInputRequest[],
  seen: ReadonlySet<string>,
): readonly SessionInputRequest[] =>
  entries.filter((entry) => entry.kind !== 'toolClientExecution' && !seen.has(entry.id));

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
