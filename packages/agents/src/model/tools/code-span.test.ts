import { expect, test } from 'vitest';
import { codeSpan } from './code-span.ts';

test.each([
  ['ls -la', '`ls -la`'],
  ['echo `date`', '`` echo `date` ``'],
  ['x`; **safe** ``', '``` x`; **safe** `` ```'],
  ['one\r\n  two', '`one ⏎ two`'],
  ['x'.repeat(400), `\`${'x'.repeat(300)}…\``],
])('%j is shown as one line of code', (text, shown) => {
  expect(codeSpan(text)).toBe(shown);
});
