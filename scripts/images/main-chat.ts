// The chat of most pictures: one finished turn with all kinds of parts, and a change that waits for approval.
import { type Act, delegate, edit, plan, read, run, search } from './acting.ts';
import { PRICES_AFTER, PRICES_BEFORE, PRICES_ROUNDED } from './bakery.ts';

const PLAN = [
  'Find where discounts are calculated',
  'Round to the nearest cent',
  'Take the discount once, from the sum',
  'Cover both with tests',
];

const FOUND = `Discounts are rounded **down for every line**, so a large order loses up to a cent per piece. There are two mistakes in \`src/prices.js\`:

1. \`discounted\` uses \`Math.floor\`, which always favours the customer.
2. \`total\` takes the discount per piece and multiplies the rounding error:
   - 12 rolls at 65 cents with 10 % off cost **696** cents
   - the sum with 10 % off is **702** cents

| order | now | correct |
|---|--:|--:|
| 12 seeded rolls | 6.96 | 7.02 |
| 3 rye loaves | 11.31 | 11.34 |
| 1 cinnamon bun | 2.61 | 2.61 |

The first one is a single word:

\`\`\`js
export function discounted(cents, percent) {
  return Math.round(cents * (1 - percent / 100));
}
\`\`\`

I have made this change and all tests pass. Shall I change \`total\` as well? It changes the price of existing orders, so it may need a note in the shop.`;

/** The turns of the chat. */
export const mainChat: readonly Act[] = [
  {
    prompt: 'Customers say that orders with a discount are a few cents off. Can you find out why?',
    play: async (stage, folder) => {
      const { output } = stage;
      await output.reasoning(
        'The amounts differ by a few cents only, so this looks like rounding. I should find where the discount is applied and whether it happens per line or on the sum.',
      );
      await search(stage, 'percent', ['src/orders.js:3', 'src/prices.js:6', 'src/prices.js:10']);
      await read(stage, 'src/prices.js', 12);
      await read(stage, 'src/orders.js', 3);
      await plan(stage, PLAN, 1);
      await edit(
        stage,
        { folder, path: 'src/prices.js', before: PRICES_BEFORE, after: PRICES_ROUNDED },
        false,
      );
      await run(stage, 'node --test');
      await delegate(stage, 'Check other places that round prices', async (worker) => {
        await worker.markdown(
          'Only `src/prices.js` rounds. The receipt prints cents as they are, and the import of old orders keeps their totals.',
        );
      });
      await output.markdown(FOUND);
      output.usage({ inputTokens: 18_240, outputTokens: 1_312 });
    },
  },
  {
    prompt: 'Go ahead. Old orders keep their price.',
    play: async (stage, folder) => {
      await plan(stage, PLAN, 2);
      await stage.output.markdown(
        'Old orders store their total, so they do not change. This takes the discount once, from the sum:\n\n',
      );
      await edit(stage, { folder, path: 'src/prices.js', before: PRICES_ROUNDED, after: PRICES_AFTER }, true);
    },
  },
];
