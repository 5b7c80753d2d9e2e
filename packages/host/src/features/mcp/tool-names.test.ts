import { expect, test } from 'vitest';
import { toolNames } from './tool-names.ts';

test('names have the server and the tool, in characters that model APIs take', () => {
  expect(toolNames([{ server: 'my.docs', tool: 'find page/all' }])).toEqual(['my_docs__find_page_all']);
});

test('names that clash or are too long get a suffix that does not depend on other tools', () => {
  const clashing = { server: 'a', tool: 'b.c' };
  const [first, second] = toolNames([{ server: 'a', tool: 'b_c' }, clashing]);
  expect(first).toBe('a__b_c');
  expect(second).toMatch(/^a__b_c_[0-9a-f]{6}$/);
  expect(toolNames([{ server: 'x', tool: 'y' }, { server: 'a', tool: 'b_c' }, clashing])[2]).toBe(second);
  const [long = ''] = toolNames([{ server: 's', tool: 't'.repeat(100) }]);
  expect(long).toMatch(/^s__t+_[0-9a-f]{6}$/);
  expect(long).toHaveLength(64);
});
