import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ImageStage } from './stage.ts';

/** A form in which every view is rendered. */
export type Form = 'light' | 'dark' | 'phone';

const FIXED = { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;

/** The browser of each form. */
export const FORMS: Readonly<Record<Form, BrowserContextOptions>> = {
  light: { ...FIXED, viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  dark: { ...FIXED, viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  phone: {
    ...FIXED,
    viewport: { width: 360, height: 740 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    colorScheme: 'light',
  },
};

/** One picture: a place of the page, and what is done there before the picture is taken. */
export interface View {
  readonly name: string;
  readonly path: (stage: ImageStage) => string;
  readonly act?: (page: Page) => Promise<void>;
  /** Forms in which the documentation shows it; all others are pictures for `--all` only. */
  readonly shown?: readonly Form[];
}

const at = (path: string) => (): string => path;
const session =
  (title: string) =>
  (stage: ImageStage): string =>
    stage.pathOf(title);

/** The sections of the settings. */
const SECTIONS = ['host', 'access', 'approvals', 'notifications', 'appearance', 'keys', 'about'];

/** Waits for the diff of the first question and its colours. The overview has none on a phone. */
async function coloredDiff(page: Page): Promise<void> {
  const diff = page.getByText('discount is taken').first();
  await diff.waitFor({ timeout: 5_000 }).catch(() => undefined);
  await page.waitForTimeout(1_500);
}

/** Every main view of the page. */
export const VIEWS: readonly View[] = [
  {
    name: 'board',
    path: at('/'),
    shown: ['light', 'phone'],
    act: coloredDiff,
  },
  {
    name: 'chat',
    path: session('Discounts are a few cents off'),
    shown: ['light', 'dark', 'phone'],
    act: coloredDiff,
  },
  {
    name: 'chat-start',
    path: session('Discounts are a few cents off'),
    act: async (page) => {
      await page.getByRole('log', { name: 'Messages' }).hover();
      // One step leaves the end of the transcript, which new rows would bring back.
      for (let step = 0; step < 8; step += 1) {
        await page.mouse.wheel(0, -600);
        await page.waitForTimeout(80);
      }
    },
  },
  { name: 'chat-answer', path: session('How are leftovers counted?') },
  { name: 'chat-running', path: session('Tests for the order form') },
  { name: 'chat-mixed', path: session('Translate the menu into French and Arabic') },
  { name: 'chat-new-file', path: session('New page for wholesale customers') },
  { name: 'chat-failed', path: session('Update the payment library') },
  { name: 'questions', path: session('Plan the delivery rounds') },
  {
    name: 'trace',
    path: session('Round prices to the nearest cent'),
    shown: ['light'],
    act: async (page) => {
      await page.getByRole('button', { name: 'Show the trace' }).last().click();
      await page.getByRole('table', { name: 'Steps' }).waitFor();
      await page.mouse.move(0, 0);
    },
  },
  { name: 'new', path: at('/new') },
  { name: 'terminals', path: ({ shellPath }) => shellPath, shown: ['light'] },
  { name: 'terminals-watched', path: at('/terminals') },
  { name: 'agents', path: at('/settings/agents'), shown: ['light'] },
  { name: 'settings', path: at('/settings') },
  ...SECTIONS.map((section) => ({ name: `settings-${section}`, path: at(`/settings/${section}`) })),
  {
    name: 'palette',
    path: at('/'),
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.waitForTimeout(300);
    },
  },
  {
    name: 'search',
    path: at('/'),
    act: async (page) => {
      await page.getByLabel('Search sessions').locator('visible=true').first().fill('prices');
      await page.waitForTimeout(800);
    },
  },
];
