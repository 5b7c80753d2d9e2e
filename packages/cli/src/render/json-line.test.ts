import { expect, test } from 'vitest';
import { jsonLine } from './json-line.ts';

test('a JSON line has one line, nothing that a terminal obeys, and loses nothing', () => {
  const value = { text: 'a\nb \u001b[31m \u009b2J \u202e \u2028 \u007f ü' };
  const line = jsonLine(value);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/);
  expect(JSON.parse(line)).toEqual(value);
});
