import { type Profiler, Session } from 'node:inspector/promises';

/**
 * Counts how often each block of the host's code runs since `start`. The counts show growth beyond the input on any machine. V8 counts only
 * code that it compiles after `start`: call it before other code runs, and set `NODE_DISABLE_COMPILE_CACHE`.
 */
export class WorkCount {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Counts since the last call, by file, function and offset. Resets them. */
  async take(): Promise<Map<string, number>> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const counts = new Map<string, number>();
    for (const script of result) if (isOurs(script)) addCounts(counts, script);
    return counts;
  }
}

const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => /\/packages\/[^/]+\/src\//.test(url);

function addCounts(counts: Map<string, number>, { url, functions }: Profiler.ScriptCoverage): void {
  const file = url.slice(url.indexOf('/packages/') + 1);
  for (const { functionName, ranges } of functions) {
    // V8 does not count calls of inlined functions; blocks are exact.
    for (const { startOffset, endOffset, count } of ranges.slice(1)) {
      const key = `${file} ${functionName}@${startOffset}-${endOffset}`;
      if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
}
