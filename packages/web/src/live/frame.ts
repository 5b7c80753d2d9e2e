/** Hidden pages get no animation frames. Milliseconds. */
const HIDDEN_MS = 250;

const waiting = new Set<() => void>();
let isScheduled = false;

function flush(): void {
  isScheduled = false;
  const due = Array.from(waiting);
  waiting.clear();
  for (const each of due) each();
}

/** Calls `callback` once before the next frame, however often it was asked for. Returns a function that cancels it. */
export function beforeFrame(callback: () => void): () => void {
  waiting.add(callback);
  if (!isScheduled) {
    isScheduled = true;
    if (document.visibilityState === 'hidden') setTimeout(flush, HIDDEN_MS);
    else requestAnimationFrame(flush);
  }
  return () => {
    waiting.delete(callback);
  };
}
