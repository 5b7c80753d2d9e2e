import { text } from '../text/text.ts';
import { showError, showToast } from './toasts.tsx';

/** Copies a text. Resolves with false, after an error toast, when the browser refuses. */
export async function tryCopy(content: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(content);
    return true;
  } catch {
    // Without HTTPS a browser gives pages no clipboard.
    showError(text.ui.copyFailed);
    return false;
  }
}

/** Copies a text and confirms it by a toast. */
export async function copyText(content: string, message: string = text.ui.copied): Promise<void> {
  if (await tryCopy(content)) showToast({ message, lifetimeMs: 2_000 });
}
