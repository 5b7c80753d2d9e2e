import type { Turn } from '@agenthost/protocol';

/** What the demo agent keeps of a chat over restarts. */
export interface DemoMemory {
  /** Turns begun, the present one included. */
  readonly turnCount: number;
  /** The prompt of the latest turn. */
  readonly lastPrompt: string;
}

const EMPTY_MEMORY: DemoMemory = { turnCount: 0, lastPrompt: '' };
/** Longest prompt that is kept, in UTF-16 code units. */
const PROMPT_LIMIT = 200;

/** Reads what an earlier session saved; what it cannot read counts as nothing. */
export function readMemory(saved: unknown): DemoMemory {
  if (
    typeof saved === 'object' &&
    saved !== null &&
    'turnCount' in saved &&
    typeof saved.turnCount === 'number' &&
    'lastPrompt' in saved &&
    typeof saved.lastPrompt === 'string'
  ) {
    return { turnCount: saved.turnCount, lastPrompt: saved.lastPrompt };
  }
  return EMPTY_MEMORY;
}

/** What an agent without a memory makes of the turns that it is told of, oldest first. */
export function recollect(turns: readonly Turn[]): DemoMemory {
  return turns.reduce((memory, { message }) => remember(memory, message.text), EMPTY_MEMORY);
}

/** The memory once a further turn has begun. */
export function remember(memory: DemoMemory, prompt: string): DemoMemory {
  return { turnCount: memory.turnCount + 1, lastPrompt: prompt.slice(0, PROMPT_LIMIT) };
}
