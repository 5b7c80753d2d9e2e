import { createHash } from 'node:crypto';
import {
  errorOf,
  type PushPayload,
  type SessionInputRequest,
  type ToolCallState,
  type Turn,
  textOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { cleanLine } from '../../lib/clean-line.ts';
import type { PushTexts } from './texts.ts';

/** Push services take 4 kB of encrypted payload; 3 kB leave room for all of them. */
const MAX_BYTES = 3_000;
const MAX_BODY = 200;
const MAX_TITLE = 120;

/** Kinds of questions that a person has to answer. A tool call that a client runs is none. */
export type Question = Exclude<SessionInputRequest, { kind: 'toolClientExecution' }>;

/** A payload without the parts that depend on its length. */
export interface Notice {
  readonly kind: PushPayload['kind'];
  readonly host: string;
  readonly session: string;
  readonly chat: string;
  readonly title: string;
  readonly body: string;
  /** `id` in the session's `inputNeeded`. Absent: no question. */
  readonly ask?: string;
  readonly actions?: PushPayload['actions'];
  readonly ticket?: string;
}

/** Same for all pushes of a session: 32 characters of base64url, the most that a `Topic` header takes. */
export const tagOf = (session: string): string =>
  createHash('sha256').update(session).digest('base64url').slice(0, 32);

/** The JSON of a notice, below 3 kB: the ids of the question take precedence over a long text. */
export function payloadOf(notice: Notice): string {
  const { session, chat, ask } = notice;
  const query = [
    `chat=${encodeURIComponent(chat)}`,
    ...(ask === undefined ? [] : [`ask=${encodeURIComponent(ask)}`]),
  ].join('&');
  const path = session === '' ? '/' : `/s/${encodeURIComponent(session)}`;
  const full = chat === '' ? path : `${path}?${query}`;
  const candidates: readonly (readonly [url: string, maxBody: number])[] = [
    [full, MAX_BODY],
    [full, MAX_BODY / 4],
    [`${path}?chat=${encodeURIComponent(chat)}`, MAX_BODY / 4],
    [path, MAX_BODY / 4],
  ];
  for (const [url, maxBody] of candidates) {
    const json = jsonOf(notice, url, maxBody);
    if (Buffer.byteLength(json) <= MAX_BYTES) return json;
  }
  // URIs of thousands of characters: the notification opens the page itself.
  return jsonOf({ ...notice, session: '', chat: '' }, '/', MAX_BODY / 4, tagOf(session));
}

function jsonOf(notice: Notice, url: string, maxBody: number, tag = tagOf(notice.session)): string {
  const { kind, host, session, chat, title, body, actions, ticket } = notice;
  const payload: PushPayload = {
    kind,
    host: cleanLine(host, MAX_TITLE / 2),
    session,
    chat,
    title: cleanLine(title, MAX_TITLE),
    body: cleanLine(body, maxBody),
    tag,
    url,
    ...defined({ actions, ticket }),
  };
  return JSON.stringify(payload);
}

/** The text of a question. */
export function questionText(question: Question, texts: PushTexts): string {
  switch (question.kind) {
    case 'chatInput': {
      const { message, questions = [] } = question.request;
      return firstText(message, questions[0]?.message, questions[0]?.title) ?? texts.question;
    }
    case 'toolConfirmation':
      return question.toolCall.status === 'pending-confirmation'
        ? callText(question.toolCall)
        : texts.resultWaits(question.toolCall.displayName);
    case 'toolAuthentication':
      return texts.signIn(question.toolCall.displayName);
    default:
      return question satisfies never;
  }
}

/** The error of a turn, or the first line of its answer. */
export function turnText(turn: Turn, texts: PushTexts): string {
  const error = errorOf(turn);
  if (error !== undefined) return firstText(error.message) ?? error.errorType;
  const answer = turn.responseParts.findLast(
    (part) => part.kind === 'markdown' && part.content.trim() !== '',
  );
  return firstText(answer?.kind === 'markdown' ? answer.content : undefined) ?? texts.finished;
}

function callText(call: Extract<ToolCallState, { status: 'pending-confirmation' }>): string {
  const heading = firstText(call.confirmationTitle && textOf(call.confirmationTitle));
  const message = firstText(textOf(call.invocationMessage)) ?? call.displayName;
  return heading === undefined || heading === message ? message : `${heading}: ${message}`;
}

/** The first line with text of the first text that has one, without marks of Markdown at its start. */
function firstText(...texts: readonly (string | undefined)[]): string | undefined {
  for (const text of texts) {
    for (const line of (text ?? '').slice(0, 10_000).split('\n')) {
      const plain = cleanLine(line.replace(/^[\s#>*-]+/, '').replace(/\*\*|`/g, ''), MAX_BODY);
      if (plain !== '') return plain;
    }
  }
  return undefined;
}
