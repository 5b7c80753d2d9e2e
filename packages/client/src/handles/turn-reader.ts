import {
  type ActionEnvelope,
  type ChatInputAnswer,
  type ChatInputRequest,
  type ChatInputResponseKind,
  type ChatState,
  openRequests,
  type ResponsePart,
  type ToolCallPendingConfirmationState,
  type ToolCallPendingResultConfirmationState,
  type ToolCallState,
  type Turn,
} from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { callKey, isPending, requestKey, ToldQuestions } from './told-questions.ts';
import type { ApproveOptions, DenyOptions } from './tool-answers.ts';

/** An event of a turn, in order. A slow reader gets several appends as one event. */
export type TurnEvent =
  /** Text was appended to the markdown part `partId`. */
  | { readonly type: 'text'; readonly partId: string; readonly text: string }
  /** Text was appended to the reasoning part `partId`. */
  | { readonly type: 'reasoning'; readonly partId: string; readonly text: string }
  /**
   * A tool call appeared or changed. `change` is its new status, or `content` when only other fields changed.
   */
  | {
      readonly type: 'toolCall';
      readonly toolCall: ToolCallState;
      readonly change: ToolCallState['status'] | 'content';
    }
  /** A tool call waits for approval before it runs. The first answer of all clients counts. */
  | {
      readonly type: 'confirmation';
      readonly toolCall: ToolCallPendingConfirmationState;
      approve(options?: ApproveOptions): Promise<DispatchOutcome>;
      deny(options?: DenyOptions): Promise<DispatchOutcome>;
    }
  /** A tool call has run; its result waits for approval before the agent sees it. */
  | {
      readonly type: 'resultConfirmation';
      readonly toolCall: ToolCallPendingResultConfirmationState;
      confirm(approved: boolean): Promise<DispatchOutcome>;
    }
  /** The agent asks the user questions. */
  | {
      readonly type: 'inputRequest';
      readonly request: ChatInputRequest;
      respond(
        response: ChatInputResponseKind,
        answers?: Record<string, ChatInputAnswer>,
      ): Promise<DispatchOutcome>;
    }
  /** Another part was added. That of an input request is reported when the request is closed. */
  | { readonly type: 'part'; readonly part: ResponsePart }
  /** The turn ended; the last event. */
  | { readonly type: 'ended'; readonly turn: Turn };

/** Answers to the questions of a turn. */
export interface TurnControls {
  approve(toolCallId: string, options?: ApproveOptions): Promise<DispatchOutcome>;
  deny(toolCallId: string, options?: DenyOptions): Promise<DispatchOutcome>;
  confirmResult(toolCallId: string, approved: boolean): Promise<DispatchOutcome>;
  respond(
    requestId: string,
    response: ChatInputResponseKind,
    answers?: Record<string, ChatInputAnswer>,
  ): Promise<DispatchOutcome>;
}

/**
 * Computes the events of a turn since the last read. It compares states instead of reading actions, so a
 * reconnect by snapshot gives the same events as a replay. Actions are used only to tell whether a question
 * is still the same one.
 */
export class TurnReader {
  readonly #turnId: string;
  readonly #controls: TurnControls;
  readonly #questions: ToldQuestions;
  #parts: readonly ResponsePart[] = [];
  readonly #toldLengths = new Map<string, number>();
  #hasEnded = false;

  /** `onNews` is called when `read` has events although the chat has not changed. */
  constructor(turnId: string, controls: TurnControls, onNews: () => void) {
    this.#turnId = turnId;
    this.#controls = controls;
    this.#questions = new ToldQuestions(onNews);
  }

  /** Takes every envelope applied to the chat since the last `read`. */
  take(envelope: ActionEnvelope): void {
    this.#questions.take(envelope);
  }

  /** New events in order; none after the end. `missing` when the chat has no such turn. */
  read(chat: ChatState): TurnEvent[] | 'missing' {
    if (this.#hasEnded) return [];
    const turn = findTurn(chat, this.#turnId);
    if (turn === undefined) return 'missing';
    const events: TurnEvent[] = [];
    const isActive = !('state' in turn);
    this.#questions.keepRequests(isActive ? openRequests({ activeTurn: turn }) : []);
    turn.responseParts.forEach((part, index) => {
      const before = this.#parts[index];
      if (part.kind === 'inputRequest' && part.response === undefined) {
        if (isActive) this.#readRequest(part.request, events);
      } else if (part !== before) this.#readPart(part, before, events);
      else if (part.kind === 'toolCall' && isPending(part.toolCall))
        this.#readQuestion(part.toolCall, events);
    });
    this.#parts = turn.responseParts;
    if ('state' in turn) {
      this.#hasEnded = true;
      events.push({ type: 'ended', turn });
    }
    return events;
  }

  #readPart(part: ResponsePart, before: ResponsePart | undefined, events: TurnEvent[]): void {
    switch (part.kind) {
      case 'markdown':
      case 'reasoning': {
        const key = `${part.kind}:${part.id}`;
        const text = part.content.slice(this.#toldLengths.get(key) ?? 0);
        this.#toldLengths.set(key, part.content.length);
        if (text === '') return;
        events.push({ type: part.kind === 'markdown' ? 'text' : 'reasoning', partId: part.id, text });
        return;
      }
      case 'toolCall':
        this.#readToolCall(part.toolCall, before?.kind === 'toolCall' ? before.toolCall : undefined, events);
        return;
      default:
        events.push({ type: 'part', part });
    }
  }

  #readToolCall(toolCall: ToolCallState, before: ToolCallState | undefined, events: TurnEvent[]): void {
    const isSame = before?.toolCallId === toolCall.toolCallId && before.status === toolCall.status;
    // The event of a new question also shows that the call was running meanwhile.
    if (this.#readQuestion(toolCall, events)) return;
    // A reconnect by snapshot creates new objects for unchanged state.
    if (toolCall === before || (isSame && sameJson(before, toolCall))) return;
    events.push({ type: 'toolCall', toolCall, change: isSame ? 'content' : toolCall.status });
  }

  /** Adds the event for a call's question, unless it was reported before. */
  #readQuestion(toolCall: ToolCallState, events: TurnEvent[]): boolean {
    const { toolCallId } = toolCall;
    const key = callKey(toolCallId);
    if (!isPending(toolCall)) {
      this.#questions.over(key);
      return false;
    }
    if (!this.#questions.isNew(key, toolCall)) return false;
    const { approve, deny, confirmResult } = this.#controls;
    const watch = (answer: Promise<DispatchOutcome>): Promise<DispatchOutcome> =>
      this.#questions.answered(key, toolCall, answer);
    events.push({ type: 'toolCall', toolCall, change: toolCall.status });
    if (toolCall.status === 'pending-confirmation') {
      events.push({
        type: 'confirmation',
        toolCall,
        approve: (options) => watch(approve(toolCallId, options)),
        deny: (options) => watch(deny(toolCallId, options)),
      });
    } else {
      events.push({
        type: 'resultConfirmation',
        toolCall,
        confirm: (approved) => watch(confirmResult(toolCallId, approved)),
      });
    }
    return true;
  }

  /** Adds the event for an open request, unless it was reported before. */
  #readRequest(request: ChatInputRequest, events: TurnEvent[]): void {
    const key = requestKey(request.id);
    if (!this.#questions.isNew(key, request)) return;
    const respond: Extract<TurnEvent, { type: 'inputRequest' }>['respond'] = (response, answers) =>
      this.#questions.answered(key, request, this.#controls.respond(request.id, response, answers));
    events.push({ type: 'inputRequest', request, respond });
  }
}

/** Finds a turn of a chat, running or ended. */
export function findTurn(chat: ChatState, turnId: string): Turn | ChatState['activeTurn'] {
  if (chat.activeTurn?.id === turnId) return chat.activeTurn;
  return chat.turns.findLast(({ id }) => id === turnId);
}
