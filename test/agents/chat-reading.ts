import { readFile } from 'node:fs/promises';
import type { SessionHandle } from '@agenthost/client';
import type {
  ChatState,
  ResponsePart,
  ToolCallPendingConfirmationState,
  ToolCallState,
  Turn,
} from '@agenthost/protocol';

/** Throws when the value is absent. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Not open');
  return value;
}

/** Resolves with the first confirmed chat that passes `test`. The limit is the timeout of the test. */
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

/** Resolves with the first call that waits for confirmation. */
export async function pendingCall(session: SessionHandle): Promise<ToolCallPendingConfirmationState> {
  const find = (chat: ChatState): ToolCallPendingConfirmationState | undefined =>
    callsOf(chat.activeTurn).find((call) => call.status === 'pending-confirmation');
  return present(find(await until(session, (chat) => find(chat) !== undefined)));
}

/** Tool calls of a turn, oldest first. */
export function callsOf(turn: Pick<Turn, 'responseParts'> | undefined): ToolCallState[] {
  return (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'toolCall' ? [part.toolCall] : []));
}

/** The Markdown of a turn. */
export function textOf(turn: Pick<Turn, 'responseParts'> | undefined): string {
  return (turn?.responseParts ?? []).map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

/** Whether a part reports a steering message. */
export const isSteering = (part: ResponsePart): boolean =>
  part.kind === 'systemNotification' && part['x-steering'] !== undefined;

/** Text of a file; `undefined` when the file does not exist. */
export async function textIn(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    return undefined;
  });
}
