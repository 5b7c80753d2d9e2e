import { type Profiler, Session } from 'node:inspector/promises';

/**
 * How often each block of the host's own code ran since `start`: what grows faster than its input shows here, on any machine. V8 puts
 * counters into what it compiles from then on alone: start before anything runs, with `NODE_DISABLE_COMPILE_CACHE`.
 */
export class WorkCount {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Counts since the last call, by file, function and offset; begins anew. */
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
    // How often a function was called as a whole is not known of those that V8 has put into their callers; blocks are exact.
    for (const { startOffset, endOffset, count } of ranges.slice(1)) {
      const key = `${file} ${functionName}@${startOffset}-${endOffset}`;
      if (count > 0) counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
}
