import { tmpdir } from 'node:os';
import { completedTurn, openChat, userMessage } from '@agenthost/testkit';
import { describe, expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';
import type { DemoTimers } from './timers.ts';

/** Pauses take no time. */
const timers: DemoTimers = {
  after: (_, callback) => {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};

const chat = (options: { history?: ReturnType<typeof completedTurn>[]; memory?: unknown } = {}) =>
  openChat(createDemoProvider({ timers }), { workingDirectory: tmpdir(), ...options });

describe('a steered demo turn', () => {
  it('runs the steps of the message before its remaining steps', async () => {
    const { session, prompt } = await chat();
    const { output, done } = prompt('hang; say last');
    expect(await session.steer?.(userMessage('say first\nsay second'))).toBe(true);
    await done;
    expect(output.text).toBe('firstsecondlast');
  });

  it('repeats plain text, and handles several messages in order', async () => {
    const { session, prompt } = await chat();
    const { output, done } = prompt('hang');
    expect(await session.steer?.(userMessage('mind the tests'))).toBe(true);
    expect(await session.steer?.(userMessage('say done'))).toBe(true);
    await done;
    expect(output.text).toContain('> mind the tests\n\n');
    expect(output.text).toMatch(/done$/);
  });

  it('accepts no message when it is deaf, nor between turns', async () => {
    const { session, prompt } = await chat();
    expect(await session.steer?.(userMessage('too early'))).toBe(false);
    const { controller, done } = prompt('hang; deaf');
    expect(await session.steer?.(userMessage('say something'))).toBe(false);
    controller.abort();
    await expect(done).rejects.toThrow('aborted');
    await prompt('say hello').done;
    expect(await session.steer?.(userMessage('too late'))).toBe(false);
  });
});

describe('the memory of the demo agent', () => {
  it('[CHAT-6] is rebuilt from the remaining turns when it is missing', async () => {
    const { prompt } = await chat({ history: [completedTurn('a'), completedTurn('b')] });
    const { output, done } = prompt('recall');
    await done;
    expect(output.text).toContain('I remember 2 turns before this one. The last prompt was "prompt of b".');
  });
});
