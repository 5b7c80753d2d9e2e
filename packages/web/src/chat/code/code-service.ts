import { scriptUrl } from '../../app/trusted-types.ts';
import type { CodeAnswer, CodeLine, CodeRequest, LineChange } from './code-messages.ts';
// oxlint-disable-next-line import/default -- Vite makes the URL of the built worker
import workerUrl from './code-worker.ts?worker&url';

type HighlightListener = (from: number, lines: readonly CodeLine[]) => void;

const highlights = new Map<number, HighlightListener>();
const comparisons = new Map<number, (changes: readonly LineChange[] | undefined) => void>();
let worker: Worker | undefined;
let nextId = 1;

function post(request: CodeRequest): void {
  worker ??= start();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  worker.postMessage(request);
}

function start(): Worker {
  const started = new Worker(scriptUrl(workerUrl), { type: 'module', name: 'code' });
  started.addEventListener('message', ({ data }: MessageEvent<CodeAnswer>) => {
    if (data.kind === 'highlighted') return highlights.get(data.id)?.(data.from, data.lines);
    comparisons.get(data.id)?.(data.changes);
    comparisons.delete(data.id);
  });
  started.addEventListener('error', () => {
    // Code stays plain; comparisons end without a result.
    for (const settle of comparisons.values()) settle(undefined);
    comparisons.clear();
  });
  return started;
}

/** A document that the worker highlights. */
export interface HighlightedDocument {
  /** Highlights a version. Lines come to the listener as they are ready. */
  update(code: string): void;
  close(): void;
}

/** Opens a document. `onLines` gets highlighted lines from an index on. */
export function openHighlight(language: string, onLines: HighlightListener): HighlightedDocument {
  const id = nextId++;
  highlights.set(id, onLines);
  return {
    update: (code) => post({ kind: 'highlight', id, language, code }),
    close: () => {
      highlights.delete(id);
      post({ kind: 'forget', id });
    },
  };
}

/** Compares two texts by lines in the worker. Resolves with `undefined` when that takes too long. */
export function compareInWorker(
  before: string,
  after: string,
  ignoresWhitespace: boolean,
): Promise<readonly LineChange[] | undefined> {
  return new Promise((resolve) => {
    const id = nextId++;
    comparisons.set(id, resolve);
    post({ kind: 'diff', id, before, after, ignoresWhitespace });
  });
}
