import { text } from '../text/text.ts';
import { showError, showToast } from '../ui/toasts.tsx';

/** Copies a text and says so. */
export async function copyText(content: string, message: string = text.ui.copied): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
    showToast({ message, lifetimeMs: 2_000 });
  } catch (error) {
    showError(error instanceof Error ? error.message : String(error));
  }
}
