// The project that the sessions of the pictures work on: a small shop whose tests really run.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `src/prices.js` before the session of the pictures changes it. */
export const PRICES_BEFORE = `/** Prices are cents. */
export function subtotal(lines) {
  return lines.reduce((sum, { cents, count }) => sum + cents * count, 0);
}

export function discounted(cents, percent) {
  return Math.floor(cents * (1 - percent / 100));
}

export function total(lines, { percent = 0 } = {}) {
  return lines.reduce((sum, line) => sum + discounted(line.cents, percent) * line.count, 0);
}
`;

/** The first change: the discount rounds to the nearest cent. */
export const PRICES_ROUNDED = PRICES_BEFORE.replace('Math.floor(', 'Math.round(');

/** The second change: the discount is taken once from the sum. */
export const PRICES_AFTER = PRICES_ROUNDED.replace(
  `  return lines.reduce((sum, line) => sum + discounted(line.cents, percent) * line.count, 0);
`,
  `  return discounted(subtotal(lines), percent);
`,
).replace('/** Prices are cents. */\n', '/** Prices are cents. A discount is taken once, from the sum. */\n');

const FILES: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "bakery",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': '# Bakery\n\nThe shop of a bakery: orders, prices, deliveries.\n',
  'src/prices.js': PRICES_BEFORE,
  'src/orders.js': `import { total } from './prices.js';

export const receipt = (order) => ({ ...order, cents: total(order.lines, order) });
`,
  'src/menu.json': '["Rye loaf", "Seeded roll", "Cinnamon bun"]\n',
  'test/prices.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discounted, subtotal } from '../src/prices.js';

test('an empty order costs nothing', () => assert.equal(subtotal([]), 0));
test('a discount rounds to the nearest cent', () => assert.equal(discounted(333, 10), 300));
test('a full discount costs nothing', () => assert.equal(discounted(333, 100), 0));
`,
};

/** Writes the project into a folder. */
export async function writeBakery(folder: string): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}
