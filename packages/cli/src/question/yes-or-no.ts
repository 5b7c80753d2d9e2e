import type { Context } from '../process/context.ts';
import { LineReader } from '../process/line-reader.ts';
import type { Screen } from '../render/screen.ts';

/** Asks a question in the terminal. Resolves with whether the answer is yes. */
export async function askYesOrNo(context: Context, screen: Screen, question: string): Promise<boolean> {
  const reader = new LineReader(context.stdin);
  try {
    screen.ask(`${question} (y or n) > `);
    const answer = await reader.next(context.outputClosed);
    screen.answered();
    return /^\s*y(?:es)?\s*$/i.test(answer ?? '');
  } finally {
    reader.close();
  }
}
