import { readSignInState } from '../sign-in/sign-in-state.ts';

/** A second failure within this time has another cause than an update. Milliseconds. */
const REPEAT_MS = 60_000;
/** Pause between two questions whether the host answers. Milliseconds. */
const RETRY_MS = 1_000;
const KEY = 'agenthost.reloaded-at';

/**
 * Reloads the page when a part of it cannot be loaded: the host was updated and has other files now, or it does not answer. The reload waits until the
 * host answers, because otherwise the browser would show its own error page. Not again within a minute: the view then says that it failed.
 */
export function reloadForUpdate(): void {
  let isWaiting = false;
  window.addEventListener('vite:preloadError', () => {
    const before = Number(sessionStorage.getItem(KEY));
    if (isWaiting || Date.now() - before < REPEAT_MS) return;
    isWaiting = true;
    void reloadWhenAnswered();
  });
}

async function reloadWhenAnswered(): Promise<void> {
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
}

/** Whether the host itself answers. A proxy in front of it may answer with an error page. */
async function answers(): Promise<boolean> {
  try {
    await readSignInState();
    return true;
  } catch {
    return false;
  }
}
