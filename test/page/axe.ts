import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../source-graph.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const source = readFile(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** WCAG 2.1, levels A and AA. */
export const ALL_RULES: readonly string[] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

/** Those of {@link ALL_RULES} that depend on the theme. */
export const COLOUR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Violations of rules that axe finds in the page, one line each. */
export async function violationsOf(page: Page, rules = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(await source);
  const options = { runOnly: rules, resultTypes: ['violations'] };
  // Two frames later, changed colours are in place or their transitions run.
  const frame = '() => new Promise(requestAnimationFrame)';
  const ended = `() => Promise.allSettled(document.getAnimations()
    .filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime)).map(({ finished }) => finished))`;
  const atRest = `new Promise(requestAnimationFrame).then(${frame}).then(${ended})`;
  const violations = await page.evaluate<readonly Violation[]>(
    `${atRest}.then(() => axe.run(document, ${JSON.stringify(options)})).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary.replaceAll('\n', ' ')}`,
    ),
  );
}
