import { describe, expect, it } from 'vitest';
import { crumbsOf, joinPath, matchingNames, parentPath, splitPath } from './path-completion.ts';

describe('typed paths', () => {
  it('cuts a path at its last slash', () => {
    expect(splitPath('/home/ada/pro')).toEqual({ folder: '/home/ada', prefix: 'pro' });
    expect(splitPath('/home/ada/')).toEqual({ folder: '/home/ada', prefix: '' });
    expect(splitPath('/ho')).toEqual({ folder: '/', prefix: 'ho' });
    expect(splitPath('C:\\work\\a')).toEqual({ folder: 'C:/work', prefix: 'a' });
    expect(splitPath('C:/w')).toEqual({ folder: 'C:/', prefix: 'w' });
  });

  it('completes absolute paths only', () => {
    expect(splitPath('home')).toBeUndefined();
    expect(splitPath('')).toBeUndefined();
  });

  it('matches names without regard to case and puts the exact case first', () => {
    expect(matchingNames(['projects', 'Projects-old', 'tmp'], 'Pro', 9)).toEqual([
      'Projects-old',
      'projects',
    ]);
  });

  it('leaves hidden names out until a dot is typed', () => {
    expect(matchingNames(['.git', 'a'], '', 9)).toEqual(['a']);
    expect(matchingNames(['.git', 'a'], '.', 9)).toEqual(['.git']);
  });

  it('returns at most the limit', () => {
    expect(matchingNames(['a1', 'a2', 'a3'], 'a', 2)).toEqual(['a1', 'a2']);
  });

  it('joins a folder and a name with one slash', () => {
    expect(joinPath('/', 'a')).toBe('/a');
    expect(joinPath('/a', 'b')).toBe('/a/b');
  });

  it('finds the folder above a path', () => {
    expect(parentPath('/home/ada')).toBe('/home');
    expect(parentPath('/home')).toBe('/');
    expect(parentPath('/')).toBeUndefined();
  });

  it('lists the folders from the root to a path', () => {
    expect(crumbsOf('/home/ada')).toEqual([
      { name: '/', path: '/' },
      { name: 'home', path: '/home' },
      { name: 'ada', path: '/home/ada' },
    ]);
    expect(crumbsOf('C:/w')).toEqual([
      { name: 'C:/', path: 'C:/' },
      { name: 'w', path: 'C:/w' },
    ]);
  });
});
