import type { ChatHandle, DispatchOutcome, SessionHandle } from '@agenthost/client';
import { openRequests, type TokenScope, type Turn } from '@agenthost/protocol';
import { type Choice, canAllowOnce, choicesFor, DENY_ONLY, withinScope } from '../question/confirmation.ts';
import { oneLine } from '../render/plain-text.ts';
import { statusWord, waitingText } from '../render/session-line.ts';

/** A pending question of a chat, with its answers. */
export interface OpenBlock {
  readonly choices: readonly Choice[];
  /** Why no choice is an approval, for people. Absent: one is. */
  readonly noApproval?: string;
  /** A request whose questions have to be answered first, for a yes. */
  readonly form?: { readonly chat: ChatHandle; readonly requestId: string };
  /** `isExact`: the choice was made by its number, so its option is meant; else any option of its kind will do. */
  answer(choice: Choice, isExact: boolean): Promise<DispatchOutcome>;
}

/** The answers to an input request: answer its questions, accept it if it has none, or decline. */
export const requestChoices = (hasQuestions: boolean): Choice[] => [
  { label: hasQuestions ? 'answer' : 'accept', isApproval: true },
  { label: 'decline', isApproval: false },
];

/** The pending questions of a chat, in order, with the answers that a token with this scope may give. */
export function openBlocks(chat: ChatHandle, scope: TokenScope | undefined): OpenBlock[] {
  const { activeTurn } = chat.mirror.state;
  const calls = (activeTurn?.responseParts ?? []).flatMap((part): OpenBlock[] => {
    if (part.kind !== 'toolCall') return [];
    const { toolCall } = part;
    const { toolCallId } = toolCall;
    if (toolCall.status === 'pending-confirmation') {
      const asked = withinScope(toolCall, scope);
      return [
        {
          choices: choicesFor(asked),
          ...(asked.isDenyOnly === true && { noApproval: DENY_ONLY }),
          answer: ({ isApproval, optionId }, isExact) => {
            const option = isExact && optionId !== undefined ? { optionId } : {};
            if (!isApproval) return chat.deny(toolCallId, option);
            if (isExact || canAllowOnce(asked)) return chat.approve(toolCallId, option);
            const reason = 'every approval offered is lasting: choose one by its number';
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
  const requests = openRequests(chat.mirror.state).map(
    ({ id, questions = [] }): OpenBlock => ({
      choices: requestChoices(questions.length > 0),
      ...(questions.length > 0 ? { form: { chat, requestId: id } } : {}),
      answer: ({ isApproval }) => chat.respond(id, isApproval ? 'accept' : 'decline'),
    }),
  );
  return [...calls, ...requests];
}

/** How a session stands once all that there is has been shown; `undefined` where its default chat shows it by itself. */
export function standing(
  { mirror, chat: main }: Pick<SessionHandle, 'mirror' | 'chat'>,
  chats: readonly ChatHandle[],
  nameOf: (chat: ChatHandle) => string,
): string | undefined {
  if (main.mirror.state.activeTurn !== undefined) return undefined;
  const asking = chats.find((chat) => openBlocks(chat, undefined).length > 0);
  if (asking !== undefined) return `chat "${nameOf(asking)}" waits for an answer`;
  const working = chats.find((chat) => chat.mirror.state.activeTurn !== undefined);
  if (working !== undefined) return `chat "${nameOf(working)}" works; nothing waits for an answer`;
  const { lifecycle, creationError } = mirror.state;
  if (lifecycle === 'failed')
    return `failed: ${oneLine(creationError?.message ?? 'no reason given', 500)}; nothing waits for an answer`;
  return `${statusWord(main.mirror.state.status)}; nothing waits for an answer`;
}

const waitingCount = ({ mirror }: ChatHandle): number => mirror.confirmed.queuedMessages?.length ?? 0;

/** Whether messages wait in a chat. */
export const hasQueue = (chat: ChatHandle): boolean => waitingCount(chat) > 0;

/** Reminds of queued messages after a turn that stopped the queue. After a complete turn the host goes on with the queue [CHAT-12]. */
export function queueReminder(chat: ChatHandle, { id, state }: Turn): string | undefined {
  const { activeTurn, turns } = chat.mirror.confirmed;
  const isLast = activeTurn === undefined && turns.at(-1)?.id === id;
  if (!hasQueue(chat) || state === 'complete' || !isLast) return undefined;
  return `${waitingText(waitingCount(chat))}; the next "say <text>" restarts the queue`;
}
