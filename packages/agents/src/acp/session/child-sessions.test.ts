import { expect, test } from 'vitest';
import { ChildSessions } from './child-sessions.ts';

test('details of child sessions add up, and the details of the least recently used sessions are forgotten', () => {
  const never = () => Promise.reject(new Error('not called'));
  const children = new ChildSessions({
    update: never,
    permission: never,
    askPeople: never,
    readTextFile: never,
    writeTextFile: never,
    get terminals(): never {
      throw new Error('not used');
    },
  });
  children.learn('old', { title: 'Old' });
  children.learn('kept', { title: 'Kept' });
  for (let index = 0; index < 1500; index += 1) {
    children.learn(`child ${index}`, { title: 'Other' });
    children.learn('kept', {});
  }
  expect(children.learn('kept', { cwd: '/' })).toEqual({
    details: { title: 'Kept', cwd: '/' },
    isNew: false,
  });
  expect(children.learn('old', { cwd: '/' })).toEqual({ details: { cwd: '/' }, isNew: true });
});
