/// <reference lib="webworker" />
import { notification as text } from '../text/en/notification.ts';
import { type NotificationData, type ReadPush, readData, readPush } from './read-payload.ts';

declare const self: ServiceWorkerGlobalScope;

/** Members of browsers that TypeScript's declarations leave out. */
interface FullOptions extends NotificationOptions {
  readonly renotify?: boolean;
  readonly actions?: readonly { readonly action: string; readonly title: string }[];
}

const ICON = 'icon-192.png';

/** URL of a path of the page. */
const pageUrl = (path: string): string => new URL(path.replace(/^\/+/, ''), self.registration.scope).href;

/** Shows the notification of a push, or closes the one that it names. */
export async function receivePush(data: PushMessageData | null): Promise<void> {
  const push = readPush(jsonOf(data));
  if (push?.type === 'close') return closeNotifications(push.tag);
  // Browsers end a subscription whose pushes show nothing.
  if (push === undefined)
    return self.registration.showNotification(text.unknownTitle, {
      body: text.unknownBody,
      icon: pageUrl(ICON),
    });
  await show(push);
  if (push.kind === 'test') await tellPages({ type: 'testArrived' });
}

/** Answers a question by a button of its notification, or shows the page where the notification leads. */
export async function chooseNotification(notification: Notification, action: string): Promise<void> {
  notification.close();
  const data = readData(notification.data);
  if ((action === 'allow' || action === 'deny') && data.ticket !== undefined)
    return answer(notification, data.ticket, action);
  await openPage(data.url);
}

function show({
  title,
  body,
  tag,
  url,
  actions,
  ticket,
}: Extract<ReadPush, { type: 'show' }>): Promise<void> {
  const data: NotificationData = { url, ticket };
  const options: FullOptions = {
    body,
    tag,
    data,
    renotify: true,
    actions,
    icon: pageUrl(ICON),
    badge: pageUrl(ICON),
  };
  return self.registration.showNotification(title, options);
}

async function closeNotifications(tag: string): Promise<void> {
  for (const shown of await self.registration.getNotifications({ tag })) shown.close();
}

async function answer(
  { title, tag, data }: Notification,
  ticket: string,
  action: 'allow' | 'deny',
): Promise<void> {
  const body = await outcomeOf(ticket, action);
  const isDone = body === text.allowed || body === text.denied;
  await self.registration.showNotification(title, {
    body,
    tag,
    data: { url: readData(data).url } satisfies NotificationData,
    silent: isDone,
    icon: pageUrl(ICON),
  });
}

/** Sends an answer to the host. The result in words. */
async function outcomeOf(ticket: string, action: 'allow' | 'deny'): Promise<string> {
  try {
    const response = await fetch(pageUrl('push-answer'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket, action }),
    });
    if (response.ok) return action === 'allow' ? text.allowed : text.denied;
    if (response.status === 409) return text.answeredAlready;
    const answered: unknown = await response.json();
    const reason: unknown =
      typeof answered === 'object' && answered !== null ? Reflect.get(answered, 'reason') : undefined;
    return text.answerRefused(typeof reason === 'string' ? reason : `HTTP ${response.status}`);
  } catch {
    return text.answerFailed;
  }
}

/** Shows a path in a window of the page that is open, or in a new one. */
async function openPage(path: string): Promise<void> {
  const windows = await pages();
  const present = windows.find(({ focused }) => focused) ?? windows.find(isVisible) ?? windows[0];
  if (present === undefined) {
    await self.clients.openWindow(pageUrl(path));
    return;
  }
  tell(present, { type: 'open', url: path });
  await present.focus();
}

const isVisible = ({ visibilityState }: WindowClient): boolean => visibilityState === 'visible';

async function tellPages(message: PageMessage): Promise<void> {
  for (const page of await pages()) tell(page, message);
}

/** As `attention/worker-messages.ts` reads it. */
type PageMessage = { readonly type: 'testArrived' } | { readonly type: 'open'; readonly url: string };

function tell(page: WindowClient, message: PageMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a client of a worker takes no origin
  page.postMessage(message);
}

const pages = (): Promise<readonly WindowClient[]> =>
  self.clients.matchAll({ type: 'window', includeUncontrolled: true });

function jsonOf(data: PushMessageData | null): unknown {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}
