import type { ChatHandle, DispatchOutcome } from '@agenthost/client';
import { type Choice, canAllowOnce, choicesFor } from '../question/choices.ts';

/** Something that a chat waits for, and how to answer it. */
export interface OpenBlock {
  readonly choices: readonly Choice[];
  /** A request whose questions have to be answered first, for a yes. */
  readonly form?: { readonly chat: ChatHandle; readonly requestId: string };
  /** `isExact`: the choice was made by its number, so its option is meant; else any option of its kind will do. */
  answer(choice: Choice, isExact: boolean): Promise<DispatchOutcome>;
}

/** What can be done about an input request: its questions answered, or a yes to what asks none. */
export const requestChoices = (hasQuestions: boolean): Choice[] => [
  { label: hasQuestions ? 'answer' : 'accept', isApproval: true },
  { label: 'decline', isApproval: false },
];

/** What a chat waits for, in order. */
export function openBlocks(chat: ChatHandle): OpenBlock[] {
  const { activeTurn, inputRequests } = chat.mirror.state;
  const calls = (activeTurn?.responseParts ?? []).flatMap((part): OpenBlock[] => {
    if (part.kind !== 'toolCall') return [];
    const { toolCall } = part;
    const { toolCallId } = toolCall;
    if (toolCall.status === 'pending-confirmation') {
      return [
        {
          choices: choicesFor(toolCall),
          answer: ({ isApproval, optionId }, isExact) => {
            const option = isExact && optionId !== undefined ? { optionId } : {};
            if (!isApproval) return chat.deny(toolCallId, option);
            if (isExact || canAllowOnce(toolCall)) return chat.approve(toolCallId, option);
            const reason = 'every yes on offer holds for longer than once: choose one by its number';
            return Promise.resolve({ outcome: 'rejected', code: 'notOnce', reason });
          },
        },
      ];
    }
    if (toolCall.status !== 'pending-result-confirmation') return [];
    return [
      {
        choices: choicesFor(toolCall),
        answer: ({ isApproval }) => chat.confirmResult(toolCallId, isApproval),
      },
    ];
  });
  const requests = (inputRequests ?? []).map(
    ({ id, questions = [] }): OpenBlock => ({
      choices: requestChoices(questions.length > 0),
      ...(questions.length > 0 ? { form: { chat, requestId: id } } : {}),
      answer: ({ isApproval }) => chat.respond(id, isApproval ? 'accept' : 'decline'),
    }),
  );
  return [...calls, ...requests];
}
