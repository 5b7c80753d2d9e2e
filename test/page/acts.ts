// Actions of people in a chat of the page.
import type { Locator, Page } from 'playwright-core';

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
