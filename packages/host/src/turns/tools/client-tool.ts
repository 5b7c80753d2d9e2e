import {
  type SessionActiveClient,
  type ToolCallResult,
  type ToolCallState,
  type ToolDefinition,
  textOf,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type {
  ClientToolCall,
  ToolCallAnswer,
  ToolCallHandle,
  ToolCallStart,
} from '../../agents/tool-call.ts';
import type { Timers } from '../../lib/clock.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Change, Tx } from '../../sync/tx.ts';
import { findToolCall } from './tool-call.ts';

/** The turn that calls a client's tool. */
interface RunningTurn {
  readonly chat: string;
  readonly session: string;
  readonly turnId: string;
  /** Aborts when the turn has ended. */
  readonly over: AbortSignal;
  toolCall(start: ToolCallStart): ToolCallHandle;
}

/** A call that has no result yet. */
interface Wait {
  readonly chat: string;
  readonly toolCallId: string;
  readonly resolve: (result: ToolCallResult) => void;
  /** Cancels the time limit. */
  stopLimit: () => void;
}

interface Offer {
  readonly client: SessionActiveClient;
  readonly tool: ToolDefinition;
}

/**
 * Runs client tools in turns [CHAT-9]. The client completes a call by an action. The host completes it if the
 * client is no longer active or exceeds the time limit.
 */
export class ClientToolRuns {
  readonly #sync: Sync;
  readonly #timers: Timers;
  readonly #limitMs: () => number;
  /** By chat and tool call. */
  readonly #waits = new Map<string, Wait>();

  /** `limitMs`: time limit of a client for one call; read for each call. */
  constructor(parts: { sync: Sync; timers: Timers; limitMs(): number }) {
    this.#sync = parts.sync;
    this.#timers = parts.timers;
    this.#limitMs = () => parts.limitMs();
    this.#sync.observe('chat', (tx, change) => this.#seeChat(tx, change));
    this.#sync.observe('session', (tx, { channel, action }) => {
      if (action.type === 'session/activeClientRemoved')
        failCallsOf(tx, this.#sync, channel, action.clientId);
    });
  }

  /** Implements `TurnOutput.clientTool`. */
  async run(turn: RunningTurn, call: ClientToolCall, withdrawn?: AbortSignal): Promise<ToolCallResult> {
    if (turn.over.aborted) return failure('turnEnded', 'The turn has ended');
    if (withdrawn?.aborted === true) return CALLED_OFF;
    const offer = this.#find(turn.session, call);
    const name = offer === undefined ? call.toolName : titleOf(offer.tool);
    const handle = turn.toolCall({
      ...defined({ toolCallId: call.toolCallId }),
      toolName: call.toolName,
      displayName: name,
      kind: offer?.tool.annotations?.readOnlyHint === true ? 'read' : 'other',
      contributor: { kind: 'client', clientId: call.clientId },
    });
    const invocationMessage = `Run ${name} on ${offer?.client.displayName ?? call.clientId}`;
    const ready = { invocationMessage, toolInput: call.toolInput };
    if (offer === undefined) return refuse(handle, ready, call);
    const { promise, wait } = this.#wait(turn, handle.id, withdrawn);
    if (call.asksFirst ?? offer.tool.annotations?.destructiveHint === true) {
      const asked = handle.confirm({ ...ready, confirmationTitle: `${invocationMessage}?` });
      const answer = await Promise.race([asked, promise]);
      if (!('approved' in answer)) return promise;
      if (!answer.approved) {
        this.#settle(wait, deniedResult(answer));
        return promise;
      }
    } else handle.run(ready);
    this.#limit(wait);
    return promise;
  }

  #find(sessionUri: string, { clientId, toolName }: ClientToolCall): Offer | undefined {
    const session = this.#sync.registry.getOf('session', sessionUri);
    const client = session?.state.activeClients.find((each) => each.clientId === clientId);
    const tool = client?.tools.find(({ name }) => name === toolName);
    return client === undefined || tool === undefined ? undefined : { client, tool };
  }

  #wait(
    turn: RunningTurn,
    toolCallId: string,
    withdrawn: AbortSignal | undefined,
  ): { promise: Promise<ToolCallResult>; wait: Wait } {
    const { promise, resolve } = Promise.withResolvers<ToolCallResult>();
    const { chat } = turn;
    const wait: Wait = { chat, toolCallId, resolve, stopLimit: () => undefined };
    this.#waits.set(keyOf(chat, toolCallId), wait);
    const end = (): void =>
      this.#settle(wait, failure('turnEnded', 'The turn ended before the call was completed'));
    turn.over.addEventListener('abort', end, { once: true });
    const callOff = (): void => this.#end(wait, CALLED_OFF);
    withdrawn?.addEventListener('abort', callOff, { once: true });
    const settled = promise.finally(() => {
      turn.over.removeEventListener('abort', end);
      withdrawn?.removeEventListener('abort', callOff);
    });
    return { promise: settled, wait };
  }

  #settle(wait: Wait, result: ToolCallResult): void {
    const key = keyOf(wait.chat, wait.toolCallId);
    if (this.#waits.get(key) !== wait) return;
    this.#waits.delete(key);
    wait.stopLimit();
    wait.resolve(result);
  }

  #limit(wait: Wait): void {
    if (this.#waits.get(keyOf(wait.chat, wait.toolCallId)) !== wait) return;
    const limitMs = this.#limitMs();
    wait.stopLimit = this.#timers.after(limitMs, () =>
      this.#end(wait, failure('clientTimeout', `The client did not answer within ${limitMs / 1_000} s`)),
    );
  }

  /** Completes a call that is running or waits for confirmation, on behalf of its client. */
  #end(wait: Wait, result: ToolCallResult): void {
    this.#sync.transact('host', (tx) => {
      const chat = this.#sync.registry.getOf('chat', wait.chat);
      const call = chat && findToolCall(chat.state, wait.toolCallId);
      if (chat !== undefined && call !== undefined && isOpen(call))
        completeCall(tx, chat, wait.toolCallId, result);
    });
  }

  #seeChat(tx: Tx, { channel, action }: Change<'chat'>): void {
    if (!('toolCallId' in action)) return;
    const wait = this.#waits.get(keyOf(channel.uri, action.toolCallId));
    if (wait !== undefined) tx.effect(() => this.#look(wait));
  }

  /** Runs after the commit: settles the call if it has ended. */
  #look(wait: Wait): void {
    const chat = this.#sync.registry.getOf('chat', wait.chat);
    const call = chat && findToolCall(chat.state, wait.toolCallId);
    if (call?.status === 'pending-result-confirmation') wait.stopLimit();
    if (call?.status === 'completed') this.#settle(wait, resultOf(call));
    if (call?.status === 'cancelled' && call.reason === 'result-denied')
      this.#settle(wait, failure('denied', 'The result was denied'));
  }
}

/** Completes a client's call as failed, on behalf of the client. */
export function completeCall(
  tx: Tx,
  chat: Channel<'chat'>,
  toolCallId: string,
  result: ToolCallResult,
): void {
  const turnId = chat.state.activeTurn?.id;
  if (turnId !== undefined) tx.emit(chat, { type: 'chat/toolCallComplete', turnId, toolCallId, result });
}

/** The result of a failed client call. */
export const failure = (code: string, message: string): ToolCallResult => ({
  success: false,
  pastTenseMessage: 'Failed',
  error: { code, message },
});

/** The result of a call that was not approved, with what the person said. */
export function deniedResult({
  reason,
  message,
  suggestion,
}: Extract<ToolCallAnswer, { approved: false }>): ToolCallResult {
  const because = message === undefined ? '' : `: ${textOf(message)}`;
  const instead = suggestion === undefined ? '' : `\nThe user wants instead: ${suggestion.text}`;
  return failure('denied', `It was ${reason}${because}${instead}`);
}

const CALLED_OFF = failure('calledOff', 'The agent cancelled the call');

/** Fails the open calls of a client that is no longer active [SESS-8]. */
function failCallsOf(tx: Tx, sync: Sync, session: Channel<'session'>, clientId: string): void {
  for (const chat of [...sync.registry.ofSession(session.uri)]) {
    if (!chat.is('chat')) continue;
    for (const part of chat.state.activeTurn?.responseParts ?? []) {
      if (part.kind !== 'toolCall' || !isOpenCallOf(part.toolCall, clientId)) continue;
      const result = failure('clientGone', 'The client that runs this tool has left the session');
      completeCall(tx, chat, part.toolCall.toolCallId, result);
    }
  }
}

/** Whether the call has no result yet. */
const isOpen = ({ status }: ToolCallState): boolean =>
  status === 'running' || status === 'pending-confirmation';

const isOpenCallOf = (call: ToolCallState, clientId: string): boolean =>
  isOpen(call) && call.contributor?.kind === 'client' && call.contributor.clientId === clientId;

/** Fails a call at once because no active client offers the tool. */
async function refuse(
  handle: ToolCallHandle,
  ready: Parameters<ToolCallHandle['run']>[0],
  { clientId, toolName }: ClientToolCall,
): Promise<ToolCallResult> {
  const result = failure('notOffered', `No active client ${clientId} offers a tool ${toolName}`);
  handle.run(ready);
  await handle.complete(result);
  return result;
}

const keyOf = (chat: string, toolCallId: string): string => `${chat} ${toolCallId}`;

const titleOf = ({ name, title, annotations }: ToolDefinition): string => title ?? annotations?.title ?? name;

function resultOf(call: Extract<ToolCallState, { status: 'completed' }>): ToolCallResult {
  const { success, pastTenseMessage, content, structuredContent, error } = call;
  return {
    success,
    pastTenseMessage,
    ...defined({ content, structuredContent, error }),
  };
}
