import type { TerminalViewer } from '@agenthost/client';
import type { ActionEnvelope, TerminalAction, TerminalContentPart } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { OutputFeed } from './output-feed.ts';

const RESET = '\u0018\u001bc';

/** A terminal whose content and actions the test decides. */
class Source {
  attachments = 0;
  #viewer: TerminalViewer | undefined;
  #onAction: ((envelope: ActionEnvelope) => void) | undefined;
  readonly mirror = {
    confirmed: { content: [] as TerminalContentPart[] },
    onAction: (listener: (envelope: ActionEnvelope) => void) => {
      this.#onAction = listener;
      return () => {
        this.#onAction = undefined;
      };
    },
  };

  constructor(content: TerminalContentPart[]) {
    this.content = content;
  }

  set content(content: TerminalContentPart[]) {
    this.mirror.confirmed.content = content;
  }

  attach(viewer: TerminalViewer): () => void {
    this.attachments += 1;
    this.#viewer = viewer;
    this.reset();
    return () => {
      this.#viewer = undefined;
    };
  }

  reset(): void {
    this.#viewer?.onReset?.('', { start: 0, screenLength: 0 });
  }

  output(data: string): void {
    this.#viewer?.onOutput(data);
  }

  act(action: TerminalAction): void {
    this.#onAction?.({ action } as ActionEnvelope);
  }
}

/** An emulator that reads when the test says so. */
class Target {
  written = '';
  readonly #unread: { text: string; done: (() => void) | undefined }[] = [];

  write(text: string, done?: () => void): void {
    this.#unread.push({ text, done });
  }

  read(count = Number.POSITIVE_INFINITY): void {
    for (let index = 0; index < count; index++) {
      const next = this.#unread.shift();
      if (next === undefined) return;
      this.written += next.text;
      next.done?.();
    }
  }

  get unreadUnits(): number {
    return this.#unread.reduce((sum, { text }) => sum + text.length, 0);
  }
}

function setUp(content: TerminalContentPart[] = []) {
  const source = new Source(content);
  const target = new Target();
  const events: string[] = [];
  const feed = new OutputFeed(source, target, {
    reset: () => events.push('reset'),
    caughtUp: () => events.push('caught up'),
    started: ({ commandId }) =>
      events.push(`start ${commandId} after ${JSON.stringify(target.written.slice(-4))}`),
    finished: ({ commandId, exitCode }) =>
      events.push(`end ${commandId} ${exitCode} after ${JSON.stringify(target.written.slice(-4))}`),
  });
  return { source, target, events, feed };
}

const command = (commandId: string, output: string, exitCode?: number): TerminalContentPart => ({
  type: 'command',
  commandId,
  commandLine: 'ls',
  output,
  timestamp: 0,
  isComplete: exitCode !== undefined,
  ...(exitCode === undefined ? {} : { exitCode }),
});

describe('OutputFeed', () => {
  it('starts with the content, and tells commands where they begin and end', () => {
    const { target, events } = setUp([{ type: 'unclassified', value: '$ ls\n' }, command('1', 'a b\n', 0)]);
    target.read();
    expect(target.written).toBe(`${RESET}$ ls\na b\n`);
    expect(events).toEqual(['reset', 'start 1 after " ls\\n"', 'end 1 0 after "a b\\n"', 'caught up']);
  });

  it('writes further output behind it, and tells a command of the same frame once', () => {
    const { source, target, events } = setUp([command('1', 'x')]);
    source.act({ type: 'terminal/commandExecuted', commandId: '1', commandLine: 'ls', timestamp: 0 });
    source.output('y');
    source.act({ type: 'terminal/commandFinished', commandId: '1', exitCode: 2 });
    source.output('z');
    target.read();
    expect(target.written).toBe(`${RESET}xyz`);
    expect(events.slice(1)).toEqual([
      expect.stringContaining('start 1'),
      'caught up',
      expect.stringContaining('end 1 2'),
    ]);
  });

  it('waits for the emulator, and loses nothing meanwhile', () => {
    const { source, target } = setUp();
    const expected = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(10_000, '.'));
    for (const piece of expected) source.output(piece);
    expect(target.unreadUnits).toBeLessThan(200_000);
    target.read();
    expect(target.written).toBe(RESET + expected.join(''));
  });

  it('starts anew with the newest content when the emulator falls far behind', () => {
    const { source, target } = setUp();
    source.content = [{ type: 'unclassified', value: 'newest' }];
    for (let index = 0; index < 100; index++) source.output('.'.repeat(50_000));
    expect(source.attachments).toBe(2);
    source.output('!');
    target.read();
    const last = target.written.slice(target.written.lastIndexOf(RESET));
    expect(last).toMatch(/^\u0018\u001bcnewest\.+!$/);
    // What was dropped is in the newest content; what came later was written once.
    expect((last.length - RESET.length - 'newest!'.length) % 50_000).toBe(0);
  });

  it('writes and tells nothing after it was stopped', () => {
    const { source, target, events, feed } = setUp([command('1', 'x', 0)]);
    feed.stop();
    source.output('later');
    target.read();
    expect(target.written).not.toContain('later');
    expect(events).toEqual([]);
  });
});
