import { compareLines } from '../diff/compare-lines.ts';
import type { CodeAnswer, CodeRequest } from './code-messages.ts';
import { Highlighting } from './highlighting.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
const answer = (message: CodeAnswer): void => self.postMessage(message);

const highlighting = new Highlighting((id, from, lines) => answer({ kind: 'highlighted', id, from, lines }));

/** Comparing takes at most this long. Milliseconds. */
const DIFF_TIMEOUT_MS = 5_000;

self.addEventListener('message', ({ data }: MessageEvent<CodeRequest>) => {
  switch (data.kind) {
    case 'highlight':
      return void highlighting.update(data.id, data.language, data.code);
    case 'forget':
      return highlighting.forget(data.id);
    case 'diff':
      return answer({
        kind: 'compared',
        id: data.id,
        changes: compareLines(data.before, data.after, {
          timeoutMs: DIFF_TIMEOUT_MS,
          ignoresWhitespace: data.ignoresWhitespace,
        }),
      });
  }
});
