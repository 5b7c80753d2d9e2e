import { expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { runCli } from '../program/program.ts';

test.each(['https://agents.example.org', '*.example.org', 'agents.example.org:port', ''])(
  'gateway serve refuses %j as a name of the gateway',
  async (name) => {
    const context = new FakeContext();
    const args = ['--journal', 'postgres://127.0.0.1:1/none', '--token-file', 'none', '--allowed-host', name];
    expect(await runCli(context, ['gateway', 'serve', ...args])).toBe(2);
    expect(context.err).toMatch(/--allowed-host: expected a name such as agents\.example\.org/);
  },
);
