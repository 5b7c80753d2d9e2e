// Sessions that are hard to lay out: very long names, right-to-left texts, wide tables, deep lists. They are in no documentation.
import { type Act, edit, forever } from './acting.ts';
import type { ImageSession } from './sessions.ts';
import type { View } from './views.ts';

const LONG =
  'A very long title that somebody pasted from a ticket: the order form on the wholesale page forgets the delivery address when the browser goes back twice and the customer is signed in';
const UNBROKEN = `${'packages-of-the-shop/'.repeat(9)}a-file-with-a-name-that-has-no-place-to-break.test.integration.ts`;

const MARKDOWN = `# A heading of the first level

Some text under it, with \`code\`, **bold**, *italic*, ~~struck~~ and a [link](https://example.org/a/very/long/path/that/goes/on?and=on).

## Lists

1. First
   - nested, with a line that is long enough to be wrapped at the width of the column, so that its second line shows the indent
     - nested deeper
       1. and deeper
2. Second

   A paragraph inside the second entry.

- [x] done
- [ ] open

### A wide table

| Column | Another column with a long name | Numbers | A description that needs space | State |
|---|---|--:|---|---|
| \`src/orders/incoming/validate.js\` | something | 1,234,567 | It has a long description which has to wrap somewhere | ok |
| \`b\` | else | 12 | short | failed |

> A quotation of two sentences. It has a second one.

\`\`\`ts
export function longLine(first: string, second: string, third: string, fourth: string): Promise<ReadonlyMap<string, readonly string[]>> { return load(first, second, third, fourth); }
\`\`\`

---

![An image](https://example.org/picture.png)

The end of it: $a^2$, 1 < 2, &amp; https://example.org/plain.`;

const markdownAct: Act = {
  prompt: `Everything that Markdown has, please, and ${UNBROKEN}`,
  play: async ({ output }) => output.markdown(MARKDOWN),
};

/** Sessions that are hard to lay out. */
export const hardSessions: readonly ImageSession[] = [
  { title: LONG, minutesAgo: 9, left: 'unread', acts: [markdownAct] },
  {
    title: 'ترجمة صفحة الطلب إلى العربية مع الأسعار',
    minutesAgo: 8,
    left: 'read',
    acts: [
      {
        prompt: 'Arabic ترجم صفحة الطلب من فضلك',
        play: async ({ output }) =>
          output.markdown(
            'تمت ترجمة الصفحة.\n\n- الخبز: `bread`\n- الكعك\n\nالسعر في `src/prices.js` لم يتغير.',
          ),
      },
    ],
  },
  {
    title: UNBROKEN,
    minutesAgo: 7,
    left: 'open',
    acts: [
      {
        prompt: 'Unbroken names.',
        play: async (stage, folder) => {
          await edit(stage, { folder, path: UNBROKEN, after: `export const path = '${UNBROKEN}';\n` }, true);
          await forever(stage);
        },
      },
    ],
  },
];

/** The views of these sessions. */
export const hardViews: readonly View[] = [
  { name: 'hard-markdown', path: (stage) => stage.pathOf(LONG) },
  { name: 'hard-rtl', path: (stage) => stage.pathOf(hardSessions[1]?.title ?? '') },
  { name: 'hard-unbroken', path: (stage) => stage.pathOf(UNBROKEN) },
];
