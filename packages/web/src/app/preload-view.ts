import { preloadMarkdown } from '../chat/markdown/markdown.tsx';
import { basePath } from './paths.ts';

/** Begins to load the view of a session, if the address names one, so that it is there when the host answers. */
export function preloadView(): void {
  if (!location.pathname.startsWith(`${basePath()}s/`)) return;
  preloadMarkdown();
  // The router loads it again and shows the failure.
  import('../chat/session-view.tsx').catch(() => undefined);
}
