import {
  type ActionEnvelope,
  type ChatInputRequest,
  type ToolCallConfirmationState,
  type ToolCallState,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

type Asked = ToolCallConfirmationState | ChatInputRequest;

/** Whether a tool call waits for a person, before it runs or before the agent sees its result. */
export const isPending = (toolCall: ToolCallState): toolCall is ToolCallConfirmationState =>
  toolCall.status === 'pending-confirmation' || toolCall.status === 'pending-result-confirmation';

/**
 * Whether two states of a waiting item with the same id can be the same question: nothing that a person
 * decides on differs. A tool call becomes pending again only from running [CHAT-7], so its state alone does
 * not distinguish two questions. Drafts of answers, the assessment of the risk, which
 * arrives later [CHAT-33], and `_meta` do not count.
 */
export function isSameQuestion(one: Asked, other: Asked): boolean {
  return one === other || sameJson(contentOf(one), contentOf(other));
}

const contentOf = (asked: Asked): object => ({
  ...asked,
  answers: undefined,
  riskAssessment: undefined,
  _meta: undefined,
});

/** Codes of rejections that mean that nothing waited for the answer any more. */
const OVER_CODES: ReadonlySet<string> = new Set([
  'wrongState',
  'unknownRequest',
  'requestClosed',
  'outcomeExpired',
]);

/** The questions of a turn that were reported and are not answered yet. */
export class ToldQuestions {
  readonly #told = new Map<string, Asked>();
  readonly #onOver: () => void;

  /**
   * `onOver` is called when the outcome of an answer shows that its question ended without a change of state.
   */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  /** Takes a waiting question. Returns true, and counts it as reported, when it was not reported before. */
  isNew(key: string, asked: Asked): boolean {
    const before = this.#told.get(key);
    if (before !== undefined && isSameQuestion(before, asked)) return false;
    this.#told.set(key, asked);
    return true;
  }

  /** Nothing waits under this key any more. */
  over(key: string): void {
    this.#told.delete(key);
  }

  /** Forgets all requests except these. */
  keepRequests(open: readonly ChatInputRequest[]): void {
    const keys = new Set(open.map(({ id }) => requestKey(id)));
    for (const key of Array.from(this.#told.keys()))
      if (key.startsWith(requestKey('')) && !keys.has(key)) this.#told.delete(key);
  }

  /** Takes every applied envelope, because a question may end and be asked again within one frame. */
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
   * Watches an answer. A snapshot may bring a next question in the same words and skip everything in between.
   * The outcome then shows that the first question is over.
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

/** Key of a tool call's questions. */
export const callKey = (toolCallId: string): string => `call ${toolCallId}`;

/** Key of an input request. */
export const requestKey = (requestId: string): string => `request ${requestId}`;
