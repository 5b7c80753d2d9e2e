import type { PushSupport } from '../../attention/push/push-support.ts';
import { settingsText } from '../../text/settings-text.ts';

/** Why this browser cannot get notifications, and the steps that help; `undefined`: it can. */
export function blockingHelp(
  support: PushSupport,
): { readonly title: string; readonly steps: readonly string[] } | undefined {
  switch (support) {
    case 'unsupported':
    case 'insecure':
    case 'installFirst':
    case 'denied':
      return settingsText.pushBlocked[support];
    case 'askable':
    case 'granted':
      return undefined;
    default:
      return support satisfies never;
  }
}
