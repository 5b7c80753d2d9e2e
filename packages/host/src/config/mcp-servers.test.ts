import { expect, test } from 'vitest';
import { expandVariables, findMcpServersFault, readEntries } from './mcp-servers.ts';

test('entries have defaults, and a URL alone means streamable HTTP', () => {
  expect(readEntries({ a: { command: 'npx' }, b: { url: 'https://x.example/mcp' } })).toEqual({
    entries: [
      {
        name: 'a',
        kind: 'stdio',
        blocking: true,
        toolTimeoutSeconds: 600,
        command: 'npx',
        args: [],
        env: {},
      },
      {
        name: 'b',
        kind: 'http',
        blocking: true,
        toolTimeoutSeconds: 600,
        url: 'https://x.example/mcp',
        headers: {},
      },
    ],
    faults: [],
  });
});

test.each([
  [[], 'expected an object of MCP servers by name'],
  [
    { 'a b': { command: 'x' } },
    'a b.name: expected at most 64 letters, digits, underscores, dots and hyphens',
  ],
  [{ a: 'x' }, 'a.value: expected an object'],
  [{ a: { type: 'ws', url: 'x' } }, 'a.type: expected "stdio", "http" or "sse", got "ws"'],
  [{ a: {} }, 'a.command: expected a command name or an absolute path, got nothing'],
  [{ a: { command: 'x', args: 'y' } }, 'a.args: expected a list of texts, got "y"'],
  [{ a: { command: 'x', env: { A: 1 } } }, 'a.env.A: expected a text, got 1'],
  [
    { a: { command: 'x', url: 'https://x.example' } },
    'a.command: unknown key; expected one of type, blocking',
  ],
  [{ a: { command: 'x', blocking: 'no' } }, 'a.blocking: expected true or false, got "no"'],
  [{ a: { url: 'file:///x' } }, 'a.url: expected an http or https URL, got "file:///x"'],
  [{ a: { command: 'x', toolTimeoutSeconds: 0 } }, 'a.toolTimeoutSeconds: expected a whole number from 1'],
])('%j is refused: %s', (value, message) => {
  expect(findMcpServersFault(value)).toContain(message);
});

test('variables come from the environment or their default, and a missing one is named', () => {
  expect(expandVariables('${A}/${B:-b}/$C', { A: 'a' })).toBe('a/b/$C');
  expect(() => expandVariables('${A}', {})).toThrow('the environment variable A is not set');
});
