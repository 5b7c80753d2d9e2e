import { type HostLink, messageOf } from '../live/host-link.ts';
import { settingsText } from '../text/settings-text.ts';
import { showError } from '../ui/toasts.tsx';

/** Allows or denies a request for access to files. Says so if the host refuses, such as after the answer of somebody else. */
export async function answerRequest(link: HostLink, id: string, isGranted: boolean): Promise<void> {
  try {
    await link.client?.grants.answer(id, isGranted);
  } catch (error) {
    showError(settingsText.refused(messageOf(error)));
  }
}
