import { terminalsOf } from '../transcript/terminal-tails.ts';
import { workerOf } from '../transcript/turn-text.ts';
import type { Conversation } from './conversation.ts';

/** What holds in a chat now, by the names that bindings use. */
export function conditionsIn(conversation: Conversation): readonly string[] {
  const { focus, askPanel, isRunning, asks, composer, chat, queue, isReadOnly, transcript } = conversation;
  if (focus === 'queue') return queue.conditions();
  const { queuedMessages, steeringMessage, activeTurn } = chat.mirror.state;
  const held: readonly (readonly [name: string, holds: boolean])[] = [
    ['canStop', isRunning],
    ['isRunning', isRunning && !isReadOnly],
    ['isIdle', !isRunning && !isReadOnly],
    ['isAsked', asks.length > 0],
    ['hasMoreAsks', asks.length > 1],
    ['isEmpty', composer.isEmpty],
    ['hasQueue', (queuedMessages ?? steeringMessage) !== undefined],
    ['isTalk', !isReadOnly],
    ['isChanging', composer.purpose.kind === 'pending'],
    ['isResending', composer.purpose.kind === 'resend'],
  ];
  const names = held.filter(([, holds]) => holds).map(([name]) => name);
  if (focus === 'ask') {
    return [
      ...names,
      ...(askPanel?.conditions() ?? []),
      ...(terminalsOf(activeTurn).length > 0 ? ['hasTerminal'] : []),
    ];
  }
  const turn = focus === 'browse' ? transcript.selected : undefined;
  if (turn === undefined) return names;
  if (terminalsOf(turn).length > 0) names.push('hasTerminal');
  if (workerOf(turn) !== undefined) names.push('hasWorker');
  return names;
}
