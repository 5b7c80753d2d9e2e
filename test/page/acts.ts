// Actions of people in a chat of the page.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Shows another path in a window, without loading the page again. */
export async function visit(page: Page, path: string): Promise<void> {
  // The router follows this call.
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Paths of the settings and the names of their sections. */
const SETTINGS = {
  host: 'Host',
  agents: 'Agents',
  access: 'Access',
  approvals: 'Approvals',
  worktrees: 'Worktrees',
  notifications: 'Notifications',
  appearance: 'Appearance',
  keys: 'Keyboard',
  about: 'About',
};

type Section = keyof typeof SETTINGS;

/** The sections of the settings. */
export const SECTIONS = Object.keys(SETTINGS) as readonly Section[];

/** Shows a section of the settings, without loading the page again. */
export async function visitSettings(page: Page, section: Section): Promise<void> {
  await visit(page, `/settings/${section}`);
  const shown = page.getByRole('region', { name: SETTINGS[section], exact: true });
  await shown.getByRole('heading').first().waitFor();
}

/** The messages of the shown chat. */
export const messagesOf = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });

/** The message field of the shown chat. */
export const fieldOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

/** Writes a message and sends it; it queues while a turn runs. */
export async function say(page: Page, message: string): Promise<void> {
  await fieldOf(page).fill(message);
  await fieldOf(page).press('Enter');
}

/** The sign that a turn runs in the shown chat. */
export const workingIn = (page: Page): Locator =>
  messagesOf(page).getByRole('status').filter({ hasText: 'Working' });

/** Waits until an element no longer moves. */
export async function atRest(element: Locator): Promise<void> {
  let before: unknown;
  await expect
    .poll(async () => {
      const [last, now] = [before, await element.boundingBox()];
      before = now;
      return JSON.stringify(last) === JSON.stringify(now);
    })
    .toBe(true);
}

/** Waits until the paragraph with this text is in the visible part of the messages. */
export async function untilInView(page: Page, message: string): Promise<void> {
  const paragraph = messagesOf(page).getByText(message, { exact: true });
  await expect
    .poll(async () => {
      const [inner, outer] = [await paragraph.boundingBox(), await messagesOf(page).boundingBox()];
      if (inner === null || outer === null) return false;
      return inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
    })
    .toBe(true);
}
