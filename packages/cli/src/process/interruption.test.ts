import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Interruption } from './interruption.ts';

describe('an interruption', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is graceful at the first Ctrl-C, and immediate at the second', () => {
    const context = new FakeContext();
    const interruption = new Interruption(context);
    expect(interruption.reason).toBeUndefined();
    context.signal('SIGINT');
    expect(interruption.reason).toEqual({ exitCode: 130 });
    expect(interruption.signal.aborted).toBe(true);
    expect(context.exits).toEqual([]);
    context.signal('SIGINT');
    expect(context.exits).toEqual([130]);
  });

  test('comes at the timeout, with a message; the first reason stays', () => {
    const context = new FakeContext();
    const interruption = new Interruption(context, { timeoutMs: 1_500 });
    vi.advanceTimersByTime(1_499);
    expect(interruption.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    context.output.abort();
    expect(interruption.reason).toEqual({ exitCode: 1, message: 'timed out after 1.5 s' });
  });

  test('comes when the reader of the output closes it, or has closed it before', () => {
    const context = new FakeContext();
    const interruption = new Interruption(context);
    context.output.abort();
    expect(interruption.reason).toEqual({ exitCode: 130 });
    expect(new Interruption(context).reason).toEqual({ exitCode: 130 });
  });

  test('no longer comes after its disposal', () => {
    const context = new FakeContext();
    const interruption = new Interruption(context, { timeoutMs: 10 });
    interruption.dispose();
    context.signal('SIGINT');
    context.output.abort();
    vi.advanceTimersByTime(20);
    expect(interruption.reason).toBeUndefined();
    expect(context.exits).toEqual([]);
  });
});
