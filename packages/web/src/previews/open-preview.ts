import type { SessionHandle } from '@agenthost/client';

/**
 * Opens a port of a session in a new tab. Resolves with the address if the browser did not allow the tab. Rejects like
 * `SessionHandle.openPreview`.
 */
export async function openInTab(session: SessionHandle, port: number): Promise<string | undefined> {
  // Browsers allow a new tab only while they handle the click.
  const tab = window.open('', '_blank');
  try {
    const { url } = await session.openPreview(port);
    if (tab === null) return url;
    // The program must not have a handle to this page.
    tab.opener = null;
    tab.location.replace(url);
    return undefined;
  } catch (error) {
    tab?.close();
    throw error;
  }
}
