import {
  type ActionEnvelope,
  type ChatInputRequest,
  type ToolCallConfirmationState,
  type ToolCallState,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

type Asked = ToolCallConfirmationState | ChatInputRequest;

/** A tool call that waits for a person, before it runs or before the agent sees its result. */
export const isPending = (toolCall: ToolCallState): toolCall is ToolCallConfirmationState =>
  toolCall.status === 'pending-confirmation' || toolCall.status === 'pending-result-confirmation';

/**
 * Whether two looks at what waits under one id may be of the same question: nothing that a person decides on differs. A call goes back to
 * pending from running only [CHAT-7], so that its state alone does not tell one question from the next. Drafts of answers and `_meta`
 * belong to no question.
 */
export function isSameQuestion(one: Asked, other: Asked): boolean {
  return one === other || sameJson(contentOf(one), contentOf(other));
}

const contentOf = (asked: Asked): object => ({ ...asked, answers: undefined, _meta: undefined });

/** A host's words for: when the answer came, nothing waited for it any more. */
const OVER_CODES: ReadonlySet<string> = new Set([
  'wrongState',
  'unknownRequest',
  'requestClosed',
  'outcomeExpired',
]);

/** The questions of a turn that somebody was told of and that nobody has answered since. */
export class ToldQuestions {
  readonly #told = new Map<string, Asked>();
  readonly #onOver: () => void;

  /** `onOver` is called when an answer that was given here turns out to have ended its question, unseen. */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** Takes what waits now. True when it was not told before: then it counts as told. */
  isNew(key: string, asked: Asked): boolean {
    const before = this.#told.get(key);
    if (before !== undefined && isSameQuestion(before, asked)) return false;
    this.#told.set(key, asked);
    return true;
  }

  /** Nothing waits under this key. */
  over(key: string): void {
    this.#told.delete(key);
  }

  /** Requests other than these wait no more. */
  keepRequests(open: readonly ChatInputRequest[]): void {
    const keys = new Set(open.map(({ id }) => requestKey(id)));
    for (const key of Array.from(this.#told.keys()))
      if (key.startsWith(requestKey('')) && !keys.has(key)) this.#told.delete(key);
  }

  /** Takes every envelope that was applied: what ends a question may be followed at once by what asks it again. */
  take({ action }: ActionEnvelope): void {
    switch (action.type) {
      case 'chat/toolCallConfirmed':
      case 'chat/toolCallResultConfirmed':
      case 'chat/toolCallComplete':
        return this.over(callKey(action.toolCallId));
      case 'chat/inputCompleted':
        return this.over(requestKey(action.requestId));
      default:
    }
  }

  /**
   * Watches an answer. A snapshot may bring the next question in the words of the first, and nothing of what lies between: the outcome tells
   * that the first is over.
   */
  async answered(key: string, asked: Asked, answer: Promise<DispatchOutcome>): Promise<DispatchOutcome> {
    const outcome = await answer;
    const isOver =
      outcome.outcome === 'accepted' || (outcome.outcome === 'rejected' && OVER_CODES.has(outcome.code));
    if (isOver && this.#told.get(key) === asked) {
      this.over(key);
      this.#onOver();
    }
    return outcome;
  }
}

/** How a tool call's questions are told apart from requests. */
export const callKey = (toolCallId: string): string => `call ${toolCallId}`;

/** How a request is told apart from tool calls. */
export const requestKey = (requestId: string): string => `request ${requestId}`;
