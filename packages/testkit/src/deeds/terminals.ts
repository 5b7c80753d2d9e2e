import type { ClientAction, TerminalState } from '@agenthost/protocol';
import type { SeededRandom } from '../seeded-random.ts';

const DEEDS = { input: 4, resize: 2, claim: 2, release: 1, title: 1, clear: 0.7 } as const;

/** An action on a terminal, regardless of its claim. */
export function terminalAction(
  random: SeededRandom,
  state: TerminalState,
  { clientId, session, chat }: { clientId: string; session: string; chat: string },
): ClientAction {
  const deed = random.weighted(DEEDS);
  switch (deed) {
    case 'input':
      return { type: 'terminal/input', data: random.hex(random.between(1, 6)) };
    case 'resize':
      return { type: 'terminal/resized', cols: random.between(20, 90), rows: random.between(5, 40) };
    case 'claim':
      return { type: 'terminal/claimed', claim: { kind: 'client', clientId } };
    case 'release':
      return {
        type: 'terminal/claimed',
        claim: { kind: 'session', session: random.chance(0.9) ? session : 'ahp-session:/nobody', chat },
      };
    case 'title':
      return { type: 'terminal/titleChanged', title: `${state.title.slice(0, 3)} ${random.hex(4)}` };
    case 'clear':
      return { type: 'terminal/cleared' };
    default:
      return deed satisfies never;
  }
}
