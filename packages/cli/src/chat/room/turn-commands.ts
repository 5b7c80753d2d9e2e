import type { ActiveTurn, Turn, URI } from '@agenthost/protocol';
import type { Environment } from '../app/environment.ts';
import { restoreFiles } from '../changes/panel-deeds.ts';
import { terminalsOf } from '../transcript/terminal-tails.ts';
import type { Conversation } from './conversation.ts';

/** Parts that commands on a turn use. */
export interface TurnCommandParts {
  readonly env: Environment;
  readonly conversation: Conversation;
  /** Asks for confirmation of an action that cannot be undone. */
  confirm(question: string, yes: () => void): void;
  /** Shows another chat. */
  open(chat: URI): void;
  /** Goes on from a turn in a chat of its own. */
  fork(turnId: string): void;
}

/** Does what a key is bound to while somebody browses the turns of a chat. */
export function runInTurns(
  command: string,
  { env, conversation, confirm, open, fork }: TurnCommandParts,
): void {
  const { transcript } = conversation;
  const turn = transcript.selected;
  if (turn === undefined) return;
  switch (command) {
    case 'up':
    case 'down':
      void transcript.select(command === 'up' ? -1 : 1);
      return;
    case 'expand':
      return transcript.expand();
    case 'resend':
      return conversation.takeUpTurn(turn);
    case 'truncate':
      return confirm('Remove all turns after this one, for everyone?', () => {
        conversation.focus = 'composer';
        conversation.truncate(turn.id);
      });
    case 'restore':
      return confirm('Restore the files as of the end of this turn? It can be undone.', () =>
        restoreFiles(env, conversation.chat, turn.id),
      );
    case 'fork':
      return fork(turn.id);
    case 'copy':
      return copyAnswer(env, turn);
    case 'terminal': {
      const uri = terminalsOf(turn).at(-1);
      if (uri !== undefined) env.showTerminal(uri);
      return;
    }
    case 'worker': {
      const worker = workerOf(turn);
      if (worker !== undefined) open(worker);
      return;
    }
    default:
  }
}

/** Hands a turn's answer to the clipboard. */
export function copyAnswer(env: Environment, turn: Turn | ActiveTurn | undefined): void {
  const text = turn === undefined ? '' : answerOf(turn);
  if (text === '') return env.notice('there is no answer to copy');
  env.copy(text);
  env.notice('copied, if the terminal supports it');
}

/** Conditions that hold in a chat, by the names that bindings use. */
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
    ['hasBackground', chat.backgroundWork.length > 0],
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

/** Answer of a turn, as Markdown. */
export const answerOf = ({ responseParts }: Turn | ActiveTurn): string =>
  responseParts
    .flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))
    .join('\n\n')
    .trim();

/** The last worker chat that a turn started; `undefined`: none. */
export function workerOf({ responseParts }: Turn | ActiveTurn): URI | undefined {
  for (const part of responseParts.toReversed()) {
    if (part.kind !== 'toolCall' || !('content' in part.toolCall)) continue;
    const worker = part.toolCall.content?.findLast((content) => content.type === 'subagent');
    if (worker !== undefined) return worker.resource;
  }
  return undefined;
}
