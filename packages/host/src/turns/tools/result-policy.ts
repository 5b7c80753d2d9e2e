import { type ActiveTurn, type ChatAction, findToolCallPart, type ResponsePart } from '@agenthost/protocol';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

type ResultAnswer = Extract<ChatAction, { type: 'chat/toolCallResultConfirmed' }>;

/**
 * Decides whether a model may see results, if the session's policy allows or denies everything: in the tick
 * that asks, and when the policy changes while users are asked. `answered` is called after the commit.
 */
export function applyPolicyToResults(
  sync: Sync,
  approvals: Approvals,
  answered: (chat: string, action: ResultAnswer) => void,
): void {
  const look = (
    tx: Tx,
    chat: Channel<'chat'>,
    sessionUri: string,
    partsOf: (turn: ActiveTurn) => Iterable<ResponsePart | undefined>,
  ): void => {
    const policy = approvals.policyOf(sessionUri);
    const turn = chat.state.activeTurn;
    if (turn === undefined || (policy !== 'all' && policy !== 'none')) return;
    for (const part of partsOf(turn)) {
      if (part?.kind !== 'toolCall' || part.toolCall.status !== 'pending-result-confirmation') continue;
      const { toolCallId, _meta } = part.toolCall;
      const approved = policy === 'all';
      const mark = approved ? { resultApprovedBy: { policy } } : { resultDeniedBy: { policy } };
      const action: ResultAnswer = {
        type: 'chat/toolCallResultConfirmed',
        turnId: turn.id,
        toolCallId,
        approved,
        _meta: { ..._meta, ...mark },
      };
      tx.emit(chat, action);
      tx.effect(() => answered(chat.uri, action));
    }
  };
  sync.observe('chat', (tx, { channel, action }) => {
    if (action.type === 'chat/toolCallComplete' && action.requiresResultConfirmation === true)
      look(tx, channel, channel.session ?? '', ({ responseParts }) => [
        findToolCallPart(responseParts, action.toolCallId),
      ]);
  });
  sync.observe('session', (tx, { channel, action }) => {
    if (action.type !== 'session/configChanged') return;
    for (const chat of [...sync.registry.ofSession(channel.uri)])
      if (chat.is('chat')) look(tx, chat, channel.uri, ({ responseParts }) => responseParts);
  });
}
