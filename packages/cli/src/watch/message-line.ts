import type { Message } from '@agenthost/protocol';
import { oneLine, plain } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Shows who said what, by the first line of it. */
export function showMessage(screen: Screen, { origin, text }: Message): void {
  const { colors } = screen;
  const who = origin.kind === 'user' ? 'you' : origin.kind;
  const [first = '', ...rest] = plain(text).split('\n');
  const more = rest.length === 0 ? '' : ` ... ${rest.length} more ${rest.length === 1 ? 'line' : 'lines'}`;
  screen.note(`\n${colors.bold(colors.blue(`${oneLine(who)}:`))} ${oneLine(first, 500)}${more}`);
}
