import type { AhpClient } from '@agenthost/client';
import {
  type ActiveTurn,
  type ExportedChatHead,
  type ExportedOpenTurn,
  type ExportedSession,
  type ExportedTurn,
  errorOf,
  type Turn,
} from '@agenthost/protocol';
import { differenceOf } from './difference.ts';
import { Violation } from './violation.ts';

/** A session as exported. */
export interface Exported {
  readonly session: ExportedSession;
  readonly chats: readonly ExportedChat[];
}

/** A chat as exported. */
export interface ExportedChat {
  readonly head: ExportedChatHead;
  readonly turns: readonly ExportedTurn[];
  readonly openTurn?: ExportedOpenTurn;
}

/** An import whose outcome its client does not know. */
export interface UnheardImport {
  readonly channel: string;
  readonly chats: readonly ExportedChat[];
}

/** Exports a session. Rejects like `Sessions.export`. */
export async function readSession(client: AhpClient, uri: string): Promise<Exported> {
  let session: ExportedSession | undefined;
  const chats: { head: ExportedChatHead; turns: ExportedTurn[]; openTurn?: ExportedOpenTurn }[] = [];
  for await (const part of client.sessions.export(uri)) {
    const last = chats.at(-1);
    if (part.type === 'session') session = part.head.session;
    else if (part.type === 'chat') chats.push({ head: part.chat, turns: [] });
    else if (part.type === 'turn') last?.turns.push(part.turn);
    else if (last !== undefined) last.openTurn = part.turn;
  }
  if (session === undefined) throw new Error(`nothing was read of ${uri}`);
  return { session, chats };
}

/** Throws a `Violation` when chats do not have the exported turns. */
export function mustBeCopy(copies: readonly ExportedChat[], { channel, chats }: UnheardImport): void {
  const difference = differenceOf(nameless(copies.map(textOf)), nameless(chats.map(textOf)));
  if (difference !== undefined) throw new Violation('import', `${channel}: ${difference}`);
}

/** The part of a chat that a copy shares with its source. A copy has no running turn and other content names. */
function textOf({ turns, openTurn }: ExportedChat): unknown {
  return [
    ...turns.map(({ turn }) => (isOpenTurn(turn) ? said(turn) : whole(turn))),
    ...(openTurn === undefined ? [] : [said(openTurn.turn)]),
  ];
}

/** A value without the names of stored content, which differ in copies. */
const nameless = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/agenthost-content:\/[\w-]+(?:\/[^"]*)?/g, 'agenthost-content:/'),
  );

/** Whether the turn was running when it was exported. */
const isOpenTurn = (turn: Turn): boolean => errorOf(turn)?.errorType === 'exportedWhileRunning';

const said = ({ id, message, responseParts }: Turn | ActiveTurn): unknown => ({
  id,
  message,
  parts: responseParts.filter(({ kind }) => kind !== 'toolCall' && kind !== 'error'),
});

const whole = ({ responseParts, ...turn }: Turn): unknown => ({
  ...turn,
  parts: responseParts.map((part) => {
    if (part.kind === 'toolCall') return { ...part, toolCall: { ...part.toolCall, content: undefined } };
    // The agent of a copy cannot resume the turn.
    return part.kind === 'error' ? { ...part, resumable: undefined } : part;
  }),
});
