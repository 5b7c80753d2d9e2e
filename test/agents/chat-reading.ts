import { readFile } from 'node:fs/promises';
import type { SessionHandle } from '@agenthost/client';
import type {
  ChatState,
  ResponsePart,
  ToolCallPendingConfirmationState,
  ToolCallState,
  Turn,
} from '@agenthost/protocol';

/** Throws when it is not there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Not open');
  return value;
}

/** Resolves with the first confirmed chat that passes; the test's own timeout is the limit. */
export function until(session: SessionHandle, test: (chat: ChatState) => boolean): Promise<ChatState> {
  const { mirror } = session.chat;
  if (test(mirror.confirmed)) return Promise.resolve(mirror.confirmed);
  return new Promise((resolve) => {
    const stop = mirror.onChange(() => {
      if (!test(mirror.confirmed)) return;
      stop();
      resolve(mirror.confirmed);
    });
  });
}

/** The call that waits for an answer, as soon as there is one. */
export async function pendingCall(session: SessionHandle): Promise<ToolCallPendingConfirmationState> {
  const find = (chat: ChatState): ToolCallPendingConfirmationState | undefined =>
    callsOf(chat.activeTurn).find((call) => call.status === 'pending-confirmation');
  return present(find(await until(session, (chat) => find(chat) !== undefined)));
}

/** Its tool calls, oldest first. */
export function callsOf(turn: Pick<Turn, 'responseParts'> | undefined): ToolCallState[] {
  return (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));
}

/** All of its Markdown. */
export function textOf(turn: Pick<Turn, 'responseParts'> | undefined): string {
  return (turn?.responseParts ?? []).map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

/** Whether a part tells of a message that went into the turn. */
export const isSteering = (part: ResponsePart): boolean =>
  part.kind === 'systemNotification' && part['x-steering'] !== undefined;

/** A file's text; `undefined` when there is none. */
export async function textIn(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    return undefined;
  });
}
