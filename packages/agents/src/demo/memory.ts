import type { Turn } from '@agenthost/protocol';

/** State of a chat that the demo agent keeps over restarts. */
export interface DemoMemory {
  /** Turns started, including the present one. */
  readonly turnCount: number;
  /** The prompt of the latest turn. */
  readonly lastPrompt: string;
  /** Id of the latest turn. Absent: unknown. */
  readonly turnId?: string;
  /** Number of steps of the latest turn's prompt that a resumption skips [CHAT-23]. Absent: 0. */
  readonly playedCount?: number;
}

const EMPTY_MEMORY: DemoMemory = { turnCount: 0, lastPrompt: '' };
/** Longest remembered prompt, in UTF-16 code units. */
const PROMPT_LIMIT = 200;

/** Reads a saved memory. An invalid one gives an empty memory. */
export function readMemory(saved: unknown): DemoMemory {
  if (
    typeof saved === 'object' &&
    saved !== null &&
    'turnCount' in saved &&
    typeof saved.turnCount === 'number' &&
    'lastPrompt' in saved &&
    typeof saved.lastPrompt === 'string'
  ) {
    return {
      turnCount: saved.turnCount,
      lastPrompt: saved.lastPrompt,
      ...('turnId' in saved && typeof saved.turnId === 'string' ? { turnId: saved.turnId } : {}),
      ...('playedCount' in saved && typeof saved.playedCount === 'number'
        ? { playedCount: saved.playedCount }
        : {}),
    };
  }
  return EMPTY_MEMORY;
}

/** The memory that results from these turns, oldest first. */
export function recollect(turns: readonly Turn[]): DemoMemory {
  return turns.reduce((memory, { id, message }) => remember(memory, id, message.text), EMPTY_MEMORY);
}

/** The memory after another turn has started. */
export function remember(memory: DemoMemory, turnId: string, prompt: string): DemoMemory {
  return { turnCount: memory.turnCount + 1, lastPrompt: prompt.slice(0, PROMPT_LIMIT), turnId };
}
