import { pathToFileURL } from 'node:url';
import {
  type ChatAction,
  type ErrorResponsePart,
  findChat,
  LIST_LIMITS,
  type SessionState,
} from '@agenthost/protocol';
import { AgentError } from '../../agents/errors.ts';
import type { WorkerChat, WorkerChatStart, WorkerTurn } from '../../agents/turn.ts';
import type { Channel } from '../../sync/channel.ts';
import { createChat } from '../../sync/fork.ts';
import { newChat, newChatUri, summaryOf } from '../../sync/new-chat.ts';
import { startedNow, turnDuration } from '../../sync/turn-time.ts';
import type { Change, Tx } from '../../sync/tx.ts';
import type { TurnParts } from '../parts.ts';
import { type LiveTurn, LiveTurnOutput } from './turn-output.ts';

/**
 * Maximum number of worker chats of one session. They are kept, and each has an entry in the session's list
 * of chats.
 */
const MAX_WORKER_CHATS = 500;

/** An open turn of a worker chat. */
interface RunningTurn {
  readonly turnId: string;
  readonly output: LiveTurnOutput;
  readonly abort: AbortController;
  /** True when the provider itself has ended the turn. */
  isEndedByProvider: boolean;
}

/** A worker chat whose parent's turn is running. */
interface Worker {
  readonly parent: LiveTurn;
  readonly unpin: () => void;
  turn?: RunningTurn;
}

/**
 * The chats that tool calls work in [CHAT-2]. The host creates worker chats, which are read-only for users. The
 * provider of the parent's turn writes them. When that turn ends, the turns of its worker chats end in the
 * same tick. The chats are kept.
 */
export class WorkerChats {
  readonly #parts: TurnParts;
  readonly #workers = new Map<string, Worker>();

  constructor(parts: TurnParts) {
    this.#parts = parts;
    parts.sync.observe('chat', (tx, change) => this.#follow(tx, change));
  }

  /** The output of a worker chat's active turn. Answers of users are passed to it. */
  outputOf(chat: string): LiveTurnOutput | undefined {
    return this.#workers.get(chat)?.turn?.output;
  }

  /** Creates a worker chat for a tool call of a turn. Throws `AgentError` if the session has too many. */
  spawn(parent: LiveTurn, start: WorkerChatStart): WorkerChat {
    const { sync, ids } = this.#parts;
    const session = sync.registry.getOf('session', parent.session);
    if (session !== undefined && workerCount(session.state) >= MAX_WORKER_CHATS) {
      throw new AgentError(
        'tooManyWorkers',
        `The session has ${MAX_WORKER_CHATS} worker chats, the maximum; dispose of some`,
      );
    }
    const { max } = LIST_LIMITS.chats;
    if (session !== undefined && session.state.chats.length >= max)
      throw new AgentError('tooManyWorkers', `The session has ${max} chats, the maximum; dispose of some`);
    const uri = newChatUri(ids);
    sync.transact('host', (tx) => this.#create(tx, uri, parent, start));
    return { uri, turn: (prompt) => this.#turn(uri, parent, prompt) };
  }

  #create(tx: Tx, uri: string, parent: LiveTurn, start: WorkerChatStart): void {
    const { sync } = this.#parts;
    const session = sync.registry.getOf('session', parent.session);
    const chat = sync.registry.getOf('chat', parent.chat);
    if (session === undefined || chat?.state.activeTurn?.id !== parent.turnId) return;
    const { title, toolCallId, workingDirectory } = start;
    const inherited = findChat(session.state.chats, parent.chat)?.workingDirectories;
    const state = newChat({
      resource: uri,
      modifiedAt: new Date(sync.stamp()).toISOString(),
      title,
      origin: { kind: 'tool', chat: parent.chat, toolCallId },
      interactivity: 'read-only',
      workingDirectories: workingDirectory === undefined ? inherited : [pathToFileURL(workingDirectory).href],
    });
    const made = createChat(tx, sync, { session: session.uri, state, point: undefined });
    this.#workers.set(uri, { parent, unpin: made.pin() });
    tx.undo(() => this.#workers.delete(uri));
    tx.emit(session, { type: 'session/chatAdded', summary: summaryOf(state) });
  }

  #turn(uri: string, parent: LiveTurn, prompt: string): WorkerTurn {
    const { sync, ids } = this.#parts;
    const turnId = ids.next();
    const turn: RunningTurn = {
      turnId,
      abort: new AbortController(),
      isEndedByProvider: false,
      output: new LiveTurnOutput({
        ...this.#parts,
        turn: { chat: uri, session: parent.session, turnId },
        spawnChat: (of, start) => this.spawn(of, start),
      }),
    };
    sync.transact('host', (tx) => {
      const worker = this.#workers.get(uri);
      const chat = sync.registry.getOf('chat', uri);
      // The parent's turn may have ended in a tick that is not committed yet.
      const isParentOpen = sync.registry.getOf('chat', parent.chat)?.outline.activeTurn?.id === parent.turnId;
      if (worker === undefined || chat === undefined || !isParentOpen) {
        tx.effect(() => over(turn));
        return;
      }
      const before = worker.turn;
      // A provider that starts another turn has finished this one.
      if (before !== undefined) {
        before.isEndedByProvider = true;
        this.#end(tx, chat, before.turnId, { type: 'chat/turnComplete' });
      }
      worker.turn = turn;
      tx.undo(() => {
        if (before === undefined) delete worker.turn;
        else worker.turn = before;
      });
      const message = { text: prompt, origin: { kind: 'agent' as const } };
      tx.emit(chat, { type: 'chat/turnStarted', turnId, startedAt: startedNow(sync), message });
    });
    return {
      output: turn.output,
      signal: turn.abort.signal,
      end: (error) => {
        turn.isEndedByProvider = true;
        sync.transact('host', (tx) => {
          const chat = sync.registry.getOf('chat', uri);
          if (chat === undefined) return;
          if (error === undefined) return this.#end(tx, chat, turnId, { type: 'chat/turnComplete' });
          const { errorType, message } = error;
          this.#end(tx, chat, turnId, {
            type: 'chat/error',
            part: { kind: 'error', error: { errorType, message } },
          });
        });
      },
    };
  }

  #end(tx: Tx, chat: Channel<'chat'>, turnId: string, end: TurnEnd): void {
    if (chat.state.activeTurn?.id !== turnId) return;
    tx.emit(chat, { ...end, turnId, duration: turnDuration(this.#parts.sync, chat) });
  }

  /**
   * Handles the end of a turn. Closes the output of a worker's turn; ends the turns of all workers when a
   * parent's turn ends.
   */
  #follow(tx: Tx, { channel, before, after, action }: Change<'chat'>): void {
    const turnId = before.activeTurn?.id;
    if (turnId === undefined || after.activeTurn?.id === turnId || this.#workers.size === 0) return;
    const { sync } = this.#parts;
    const own = this.#workers.get(channel.uri);
    const { turn } = own ?? {};
    if (own !== undefined && turn?.turnId === turnId) {
      tx.effect(() => {
        if (own.turn === turn) delete own.turn;
        over(turn);
      });
    }
    for (const [uri, worker] of this.#workers) {
      if (worker.parent.chat !== channel.uri || worker.parent.turnId !== turnId) continue;
      const chat = sync.registry.getOf('chat', uri);
      if (chat !== undefined && worker.turn !== undefined)
        this.#end(tx, chat, worker.turn.turnId, sameEnd(action));
      tx.effect(() => {
        this.#workers.delete(uri);
        worker.unpin();
      });
    }
  }
}

/** How a turn ends. */
type TurnEnd =
  | { readonly type: 'chat/turnComplete' | 'chat/turnCancelled' }
  | { readonly type: 'chat/error'; readonly part: ErrorResponsePart };

/**
 * The end of a worker's turn that equals its parent's. A removed turn is cancelled. Clients cannot resume turns of workers, which are
 * read-only.
 */
function sameEnd(action: ChatAction): TurnEnd {
  switch (action.type) {
    case 'chat/turnComplete':
      return { type: 'chat/turnComplete' };
    case 'chat/error':
      return { type: 'chat/error', part: { kind: 'error', error: action.part.error } };
    default:
      return { type: 'chat/turnCancelled' };
  }
}

function over(turn: RunningTurn): void {
  turn.output.end();
  if (!turn.isEndedByProvider) turn.abort.abort();
}

const workerCount = ({ chats }: SessionState): number =>
  chats.filter(({ origin }) => origin?.kind === 'tool').length;
