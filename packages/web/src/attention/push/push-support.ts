/** Whether this browser can get notifications, and if not, the reason. */
export type PushSupport =
  /** It has no Web Push. */
  | 'unsupported'
  /** Browsers give it to pages over HTTPS and on loopback only. */
  | 'insecure'
  /** Safari on iPhone and iPad gives it to installed pages only. */
  | 'installFirst'
  /** The person refused. A page cannot ask again. */
  | 'denied'
  /** The person was not asked yet. */
  | 'askable'
  | 'granted';

/** Facts about the browser on which the support depends. */
export interface PushFacts {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  readonly isIos: boolean;
  readonly isInstalled: boolean;
  /** `Notification.permission`; absent where the browser has no notifications. */
  readonly permission: NotificationPermission | undefined;
}

/** Whether a browser with these facts can get notifications. */
export function supportOf({ isSecure, hasPush, isIos, isInstalled, permission }: PushFacts): PushSupport {
  if (!isSecure) return 'insecure';
  if (isIos && !isInstalled) return 'installFirst';
  if (!hasPush || permission === undefined) return 'unsupported';
  return permission === 'default' ? 'askable' : permission;
}

/** iPads name themselves Macs, but have touch screens. */
export const isIosDevice = (userAgent: string, touchPoints: number): boolean =>
  /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1);

/** Whether the page runs as an installed app. */
export const isInstalledApp = (): boolean =>
  matchMedia('(display-mode: standalone)').matches || Reflect.get(navigator, 'standalone') === true;

/** The support of this browser now. */
export const pushSupport = (): PushSupport =>
  supportOf({
    isSecure: window.isSecureContext,
    hasPush: 'serviceWorker' in navigator && 'PushManager' in window,
    isIos: isIosDevice(navigator.userAgent, navigator.maxTouchPoints),
    isInstalled: isInstalledApp(),
    permission: 'Notification' in window ? Notification.permission : undefined,
  });
