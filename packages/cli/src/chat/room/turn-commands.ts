import type { ActiveTurn, Turn, URI } from '@agenthost/protocol';
import type { Environment } from '../app/environment.ts';
import { terminalsOf } from '../transcript/terminal-tails.ts';
import { answerOf, workerOf } from '../transcript/turn-text.ts';
import type { Conversation } from './conversation.ts';

/** What commands on a turn work with. */
export interface TurnCommandParts {
  readonly env: Environment;
  readonly conversation: Conversation;
  /** Asks before something is done that cannot be undone. */
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
      return confirm('Forget all that came after this turn, for everyone?', () => {
        conversation.focus = 'composer';
        conversation.truncate(turn.id);
      });
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
  env.notice('copied, where the terminal allows it');
}
