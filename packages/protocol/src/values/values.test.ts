import { describe, expect, it } from 'vitest';
import { defined } from './defined.ts';
import { errorCode, errorText, hasCode } from './errors.ts';
import { sameJson } from './same-json.ts';

describe('sameJson', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, {}],
    [[{ a: [1, 'x', null] }], [{ a: [1, 'x', null] }]],
    [null, null],
  ])('%j and %j are equal', (a, b) => {
    expect(sameJson(a, b)).toBe(true);
    expect(sameJson(b, a)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, {}],
    [[], {}],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{}, null],
    [1, '1'],
    [{}, JSON.parse('{"__proto__":{}}')],
    [{}, { constructor: 1 }],
  ])('%j and %j differ', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });
});

describe('defined', () => {
  it('drops members that are undefined and keeps null, false and empty text', () => {
    const members = { a: undefined, b: null, c: false, d: '' };
    expect(defined(members)).toStrictEqual({ b: null, c: false, d: '' });
    expect(Object.keys(members)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('errors', () => {
  it('have a text and a code, also when the thrown value is no error', () => {
    const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
    expect([errorText(missing), errorText('plain'), errorText(undefined)]).toEqual([
      'no such file',
      'plain',
      'undefined',
    ]);
    expect([errorCode(missing), errorCode({ code: 'ENOENT' }), errorCode(new Error('x'))]).toEqual([
      'ENOENT',
      undefined,
      undefined,
    ]);
    expect([hasCode(missing, 'EEXIST', 'ENOENT'), hasCode(missing, 'EEXIST'), hasCode(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
