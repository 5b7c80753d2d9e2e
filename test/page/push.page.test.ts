// Notifications: the notification of a push, the target of a click, and the texts of the settings.
import type { BrowserContext, Page, Worker } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../access/chromium.ts';
import { messagesOf } from './acts.ts';
import { stageOfFile, WITH_WORKER } from './stage.ts';

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions: readonly { readonly action: string }[];
}

/** Lets a service worker note that a notification was shown. */
const NOTE_SHOWN = `{
  const show = self.registration.showNotification;
  self.isShown = false;
  self.registration.showNotification = async (...args) => {
    await show.apply(self.registration, args);
    self.isShown = true;
  };
}`;

describe.skipIf(!hasChromium)('notifications', () => {
  const stage = stageOfFile();

  /** A window of a browser that allows notifications, its service worker, and a push service that delivers to it. */
  async function subscriber(path = '/') {
    const context = await stage().context(WITH_WORKER);
    await context.grantPermissions(['notifications'], { origin: stage().origin });
    const page = await stage().open(path, { context });
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await worker.evaluate(NOTE_SHOWN);
    return { context, page, worker, deliver: await deliverer(context, page) };
  }

  /**
   * Waits until `act` has shown a notification. The list of notifications is not asked before: Chromium removes from it a notification that is
   * stored and not displayed yet.
   */
  async function showing(worker: Worker, act: Promise<void>): Promise<void> {
    await act;
    await expect.poll(() => worker.evaluate('self.isShown')).toBe(true);
    await worker.evaluate('self.isShown = false');
  }

  async function deliverer(
    context: BrowserContext,
    page: Page,
  ): Promise<(payload: unknown) => Promise<void>> {
    const cdp = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(stage().origin));
        if (own !== undefined) resolve(own.registrationId);
      });
    });
    await cdp.send('ServiceWorker.enable');
    const registrationId = await registered;
    return async (payload) => {
      const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
      await cdp.send('ServiceWorker.deliverPushMessage', { origin: stage().origin, registrationId, data });
    };
  }

  const shownBy = (worker: Worker): Promise<Shown[]> =>
    worker.evaluate(`self.registration.getNotifications().then((all) =>
      all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions: actions.map(({ action }) => ({ action })) })))`);

  /** A click on the notification with this tag; a script's event lacks the trust that `waitUntil` needs, which the worker reports. */
  const choose = (worker: Worker, tag: string, action = ''): Promise<void> =>
    worker.evaluate(`self.registration.getNotifications({ tag: ${JSON.stringify(tag)} }).then(([notification]) => {
      self.dispatchEvent(new NotificationEvent('notificationclick', { notification, action: ${JSON.stringify(action)} }));
    })`);

  test('a push names session and question, and a click opens the page at the question', async () => {
    const client = await stage().client();
    const { uri, path } = await stage().session(client, 'ask');
    const { page, worker, deliver } = await subscriber();
    const session = await client.sessions.open(uri);
    await expect.poll(() => session.toolConfirmations().length).toBe(1);
    await showing(
      worker,
      deliver({
        ...{ kind: 'inputNeeded', host: 'builder', session: uri, chat: session.chat.mirror.uri, tag: uri },
        ...{ title: 'Bread', body: 'May I ponder?', url: path, ticket: 'none' },
        actions: [
          { action: 'allow', title: 'Allow' },
          { action: 'deny', title: 'Deny' },
        ],
      }),
    );
    expect(await shownBy(worker)).toEqual([
      {
        ...{ title: 'Bread · builder', body: 'May I ponder?', tag: uri },
        actions: [{ action: 'allow' }, { action: 'deny' }],
      },
    ]);
    await choose(worker, uri);
    await page.waitForURL(stage().origin + path);
    await messagesOf(page).getByRole('button', { name: 'Allow', exact: true }).waitFor();
    expect(await shownBy(worker)).toEqual([]);
  });

  test('the notification reports an answer that the host rejects', async () => {
    const { worker, deliver } = await subscriber();
    const actions = [{ action: 'allow', title: 'Allow' }];
    const push = {
      kind: 'inputNeeded',
      title: 'Bread',
      body: 'May I?',
      tag: 't',
      url: '/',
      ticket: 'unknown',
      actions,
    };
    await showing(worker, deliver(push));
    expect(await shownBy(worker)).toHaveLength(1);
    await showing(worker, choose(worker, 't', 'allow'));
    expect((await shownBy(worker))[0]?.body).toMatch(/^(Not answered|Already answered)/);
  });

  test('a question that was answered elsewhere closes its notification, and an unknown push shows a general one', async () => {
    const { worker, deliver } = await subscriber();
    await showing(
      worker,
      deliver({ kind: 'turnEnded', title: 'Bread', body: 'Baked', tag: 'done', url: '/' }),
    );
    expect((await shownBy(worker)).map(({ body }) => body)).toEqual(['Baked']);
    await deliver({ kind: 'close', tag: 'done' });
    await expect.poll(() => shownBy(worker)).toEqual([]);
    await showing(worker, deliver('not JSON'));
    const fallback = 'Something needs your attention.';
    expect((await shownBy(worker)).map(({ body }) => body)).toEqual([fallback]);
  });

  test('the settings say why notifications are blocked, and why the push service refused', async () => {
    const page = await stage().open('/settings/host');
    const cdp = await page.context().newCDPSession(page);
    const { targetInfo } = await cdp.send('Target.getTargetInfo');
    const { browserContextId = '' } = targetInfo;
    const permission = { name: 'notifications' };
    const of = { origin: stage().origin, browserContextId };
    await cdp.send('Browser.setPermission', { permission, setting: 'denied', ...of });
    await page.goto(`${stage().origin}/settings/notifications`);
    await page.getByText('Notifications are blocked for this page').waitFor();
    expect(await page.getByRole('switch', { name: 'Notifications in this browser' }).isEnabled()).toBe(false);
    const allowed = await subscriber('/settings/notifications');
    await allowed.page.getByRole('switch', { name: 'Notifications in this browser' }).click();
    await allowed.page
      .getByRole('alert')
      .filter({ hasText: /Notifications were not .*Registration failed/ })
      .waitFor();
    await allowed.page.getByText('No device gets notifications.').waitFor();
  });
});
