import type { InputQuestions, TurnOutput } from '@agenthost/host/agent';
import type { ChatInputQuestion } from '@agenthost/protocol';
import type { SeededRandom } from './seeded-random.ts';

const KINDS = ['text', 'number', 'integer', 'boolean', 'single-select', 'multi-select'] as const;

/** Asks questions, sometimes for a limited time, and repeats the answer, so that a wrong answer is visible. */
export async function simulateQuestions({
  random,
  output,
  timers,
}: {
  random: SeededRandom;
  output: TurnOutput;
  timers: { after(delayMs: number, callback: () => void): () => void };
}): Promise<void> {
  const withdrawing = new AbortController();
  const asked = output.ask(simulatedQuestions(random), withdrawing.signal);
  if (random.chance(0.1)) timers.after(random.between(0, 5_000), () => withdrawing.abort());
  const { response, answers } = await asked;
  await output.markdown(`heard ${response} ${JSON.stringify(answers)} `);
}

/** A web page, or one to three questions of any kind, some of them required. */
function simulatedQuestions(random: SeededRandom): InputQuestions {
  // Few ids, so that an open request is sometimes replaced.
  const requestId = `request-${random.int(3)}`;
  if (random.chance(0.15)) return { requestId, url: `https://example.com/${random.hex(4)}` };
  const questions = Array.from({ length: random.between(1, 3) }, (_, index) =>
    simulatedQuestion(random, `q${index}`),
  );
  return { requestId, message: random.hex(4), questions };
}

function simulatedQuestion(random: SeededRandom, id: string): ChatInputQuestion {
  const base = { id, message: `Which ${random.hex(4)}?`, required: random.chance(0.4) };
  const options = ['a', 'b', 'c'].map((option) => ({ id: option, label: option.toUpperCase() }));
  const free = random.chance(0.3) ? { allowFreeformInput: true } : {};
  const kind = random.pick(KINDS);
  switch (kind) {
    case 'text':
      return { ...base, kind, min: 1, max: 6 };
    case 'number':
    case 'integer':
      return { ...base, kind, min: 0, max: 9 };
    case 'boolean':
      return { ...base, kind };
    case 'single-select':
      return { ...base, kind, options, ...free };
    case 'multi-select':
      return { ...base, kind, options, ...free, max: 2 };
    default:
      return kind satisfies never;
  }
}
