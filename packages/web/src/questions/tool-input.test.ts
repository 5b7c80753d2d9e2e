import { describe, expect, it } from 'vitest';
import { editableInput, inputProblem, readToolInput } from './tool-input.ts';

describe('readToolInput', () => {
  it('finds a shell command and its folder', () => {
    expect(readToolInput('{"command":"npm test","cwd":"/work"}')).toEqual({
      kind: 'command',
      text: 'npm test',
      folder: '/work',
    });
  });

  it('quotes the words of a command that is a list', () => {
    expect(readToolInput(`{"command":["git","commit","-m","it's done"]}`)?.text).toBe(
      String.raw`git commit -m 'it'\''s done'`,
    );
  });

  it('indents other JSON', () => {
    expect(readToolInput('{"path":"a.txt"}')).toEqual({ kind: 'json', text: '{\n  "path": "a.txt"\n}' });
  });

  it('shows a text as it is', () => {
    expect(readToolInput('plain words')).toEqual({ kind: 'text', text: 'plain words' });
  });

  it('shows nothing for an empty input', () => {
    expect(readToolInput('{}')).toBeUndefined();
    expect(readToolInput(' ')).toBeUndefined();
  });
});

describe('an edited input', () => {
  it('must be JSON when the present one is', () => {
    expect(inputProblem('{"a":1}', '{"a":')).toMatch(/JSON/);
    expect(inputProblem('{"a":1}', '{"a":2}')).toBeUndefined();
    expect(inputProblem('words', '{"a":')).toBeUndefined();
  });

  it('begins as indented JSON', () => {
    expect(editableInput('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(editableInput('words')).toBe('words');
  });
});
