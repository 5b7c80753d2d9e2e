import { expect, it } from 'vitest';
import { baseName, pathOf, uriOf } from './file-path.ts';

it('converts between paths and file URIs', () => {
  expect(uriOf('/home/ada/my project')).toBe('file:///home/ada/my%20project');
  expect(pathOf('file:///home/ada/my%20project')).toBe('/home/ada/my project');
  expect(uriOf('C:\\src\\a')).toBe('file:///C:/src/a');
  expect(pathOf('file:///C:/src/a')).toBe('C:/src/a');
});

it('drops slashes at the end of a path, but keeps the root folder', () => {
  expect(uriOf('/tmp/')).toBe('file:///tmp');
  expect(uriOf('/')).toBe('file:///');
});

it('has no URI for a path that is not absolute', () => {
  expect(uriOf('work')).toBeUndefined();
});

it('shows a URI whose escapes are broken as it is', () => {
  expect(pathOf('file:///50%')).toBe('/50%');
});

it('names a file or folder by its last part', () => {
  expect(baseName('https://example.org/a%20b')).toBe('a b');
  expect(baseName('/tmp/100%25.txt')).toBe('100%25.txt');
  expect(baseName('file:///home/ada/')).toBe('ada');
  expect(baseName('file:///')).toBe('/');
});
