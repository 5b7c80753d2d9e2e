import type { Host } from '@agenthost/host';
import type { ChatAction } from '@agenthost/protocol';
import type { SeededRandom } from '../seeded-random.ts';
import type { TurnPlace } from '../simulated-turn.ts';

/**
 * Writes alternately to two texts of a running turn, which the protocol permits. A `TurnOutput` starts a new
 * text after another kind of part, so this function uses the commit path directly.
 */
export async function writeTwoTexts(
  { sync }: Host['core'],
  { chat, turnId }: TurnPlace,
  random: SeededRandom,
  pause: () => Promise<void>,
): Promise<void> {
  const emit = (...actions: ChatAction[]): void =>
    sync.transact('host', (tx) => {
      const channel = sync.registry.getOf('chat', chat);
      if (channel?.outline.activeTurn?.id !== turnId) return;
      for (const action of actions) tx.emit(channel, action);
    });
  const kinds = random.pick([
    ['markdown', 'markdown'],
    ['reasoning', 'reasoning'],
    ['markdown', 'reasoning'],
  ] as const);
  const texts = kinds.map((kind) => ({ kind, id: `text-${random.hex(8)}` }));
  emit(
    ...texts.map(
      (text): ChatAction => ({
        type: 'chat/responsePart',
        turnId,
        part: { ...text, content: '' },
      }),
    ),
  );
  for (let left = random.between(3, 10); left > 0; left -= 1) {
    const { kind, id } = random.pick(texts);
    const type = kind === 'markdown' ? 'chat/delta' : 'chat/reasoning';
    emit({ type, turnId, partId: id, content: `${left}:${random.hex(random.between(1, 200))} ` });
    if (random.chance(0.3)) await pause();
  }
}
