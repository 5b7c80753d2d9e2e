import {
  type ChatInputRequest,
  type SessionAsk,
  type SessionAsks,
  type SessionInputRequest,
  type ToolCallConfirmationState,
  textOf,
} from '@agenthost/protocol';
import { firstLine } from '../lib/plain-lines.ts';

/** Longest question in a list of sessions, in UTF-16 code units. */
const MAX_TITLE = 200;

/** The result for each list, which never changes. Sessions change far more often than their lists. */
const known = new WeakMap<readonly SessionInputRequest[], SessionAsks>();

/** The part of a session's open requests that its catalogue entry shows. `undefined`: no person is asked. */
export function asksOf(inputNeeded: readonly SessionInputRequest[] | undefined): SessionAsks | undefined {
  if (inputNeeded === undefined || inputNeeded.length === 0) return undefined;
  let asks = known.get(inputNeeded);
  if (asks === undefined) {
    asks = summed(inputNeeded);
    known.set(inputNeeded, asks);
  }
  return asks.count === 0 ? undefined : asks;
}

/** Derives the result of a list that has one more request, so that many open requests cost no search each. */
export function followAsks(
  before: readonly SessionInputRequest[] = [],
  after: readonly SessionInputRequest[] = [],
): void {
  const asks = before.length === 0 ? { count: 0 } : known.get(before);
  const added = after.at(-1);
  if (asks === undefined || added === undefined || after.length !== before.length + 1) return;
  known.set(after, withRequest(asks, added));
}

const summed = (inputNeeded: readonly SessionInputRequest[]): SessionAsks =>
  inputNeeded.reduce(withRequest, { count: 0 });

function withRequest(asks: SessionAsks, request: SessionInputRequest): SessionAsks {
  if (request.kind === 'toolClientExecution') return asks;
  return { count: asks.count + 1, first: asks.first ?? askOf(request) };
}

function askOf(request: Exclude<SessionInputRequest, { kind: 'toolClientExecution' }>): SessionAsk {
  const { id, chat, kind } = request;
  switch (kind) {
    case 'chatInput': {
      const { id: requestId, questions = [] } = request.request;
      const isRequired = questions.some(({ required }) => required === true);
      return {
        kind,
        id,
        chat,
        title: titleOf(textOfInput(request.request)),
        requestId,
        ...(isRequired ? { needsAnswers: true } : {}),
      };
    }
    case 'toolConfirmation': {
      const { toolCall, turnId } = request;
      return {
        kind,
        id,
        chat,
        title: titleOf(textOfCall(toolCall)),
        turnId,
        toolCallId: toolCall.toolCallId,
        ...(toolCall.status === 'pending-result-confirmation' ? { isResult: true } : {}),
      };
    }
    case 'toolAuthentication': {
      const { toolCall, turnId } = request;
      const { resource_name: name, resource } = toolCall.auth.resource;
      const title = titleOf(name ?? resource);
      return { kind, id, chat, title, turnId, toolCallId: toolCall.toolCallId };
    }
    default:
      return request satisfies never;
  }
}

const titleOf = (text: string): string => firstLine(text, MAX_TITLE);

function textOfInput({ message, questions = [] }: ChatInputRequest): string {
  const [question] = questions;
  return message ?? question?.title ?? question?.message ?? '';
}

function textOfCall(call: ToolCallConfirmationState): string {
  const heading = call.status === 'pending-confirmation' ? call.confirmationTitle : call.pastTenseMessage;
  const texts = [heading, call.invocationMessage].map((text) => (text === undefined ? '' : textOf(text)));
  return texts.find((text) => text.trim() !== '') ?? call.displayName;
}
