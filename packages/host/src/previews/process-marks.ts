import { PROCESS_MARK } from '../agents/process-mark.ts';
import type { ProcessRoot } from './port-scanner.ts';
import { type ProcessEntry, variableOf } from './process-table.ts';

/** Environments that are read at the same time. */
const BATCH = 64;

interface Known {
  readonly start: string;
  readonly mark: string | undefined;
}

/** The marks that processes have inherited from agents. The environment of each process is read once. */
export class ProcessMarks {
  #known = new Map<number, Known>();

  /** The marks by pid. Reads nothing while no agent runs. */
  async of(
    table: readonly ProcessEntry[],
    roots: readonly ProcessRoot[],
  ): Promise<ReadonlyMap<number, string>> {
    const known = new Map<number, Known>();
    const marks = new Map<number, string>();
    const entries = roots.some(({ kind }) => kind === 'agent') ? table : [];
    for (let from = 0; from < entries.length; from += BATCH) {
      const batch = entries.slice(from, from + BATCH).map(async ({ pid, start }) => {
        const before = this.#known.get(pid);
        const found = before?.start === start ? before : { start, mark: await variableOf(pid, PROCESS_MARK) };
        known.set(pid, found);
        if (found.mark !== undefined) marks.set(pid, found.mark);
      });
      await Promise.all(batch);
    }
    this.#known = known;
    return marks;
  }
}
