// Actions of people in the workspace of a session of the page.
import type { Locator, Page } from 'playwright-core';

/** The workspace of the shown session. */
export const workspaceOf = (page: Page): Locator => page.getByRole('region', { name: 'Workspace' });

/** Shows the workspace beside the chat, or alone. */
export async function openWorkspace(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Changes and files/ }).click();
  const workspace = workspaceOf(page);
  await workspace.getByRole('combobox', { name: 'Which changes' }).waitFor();
  return workspace;
}

/** A file in the list of changes, by what it says. */
export const fileIn = (workspace: Locator, name: RegExp): Locator =>
  workspace.getByRole('list', { name: 'Changed files' }).getByRole('button', { name });

/** The lines of the shown diff. */
export const diffOf = (workspace: Locator): Locator => workspace.getByRole('list', { name: /^Changes in/ });

/** The number of a line in the shown diff or file. */
export const lineIn = (workspace: Locator, number: number): Locator =>
  workspace.getByRole('button', { name: `Line ${number}`, exact: true });
