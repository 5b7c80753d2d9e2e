import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenChat, openChat, type RecordingTerminal, type RecordingTurn } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';

let workingDirectory = '';

beforeEach(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), 'demo-'));
});

afterEach(async () => {
  await rm(workingDirectory, { recursive: true });
});

async function chat(
  play: (terminal: RecordingTerminal) => void = () => {},
  config: Record<string, unknown> = { askBeforeWriting: false },
): Promise<OpenChat & { say(text: string): ReturnType<OpenChat['prompt']> }> {
  const opened = await openChat(createDemoProvider(), { workingDirectory, config });
  opened.host.onTerminal = play;
  return { ...opened, say: (text) => opened.prompt(text, { model: 'demo-fast' }) };
}

const showsTerminal = (output: RecordingTurn): Promise<unknown> =>
  output.until(() => output.calls.some(({ contents }) => contents.length > 0));

const live = { type: 'terminal', resource: 'ahp-terminal:/1', title: 'make all' };

describe('a command of the demo agent', () => {
  it('shows its terminal while it runs, and its output at its end', async () => {
    const { say, host } = await chat();
    const { output, done } = say('run make all');
    await showsTerminal(output);
    const [terminal] = host.terminals;
    terminal?.print('\u001b[31mbroken\u001b[0m\r\n');
    terminal?.exit(2);
    await done;
    const [call] = output.calls;
    expect(terminal?.start.command).toBe('make all');
    expect(call?.contents).toEqual([[live]]);
    expect(call?.result).toMatchObject({
      success: false,
      error: { message: 'Exit code 2' },
      content: [{ ...live, result: { exitCode: 2, preview: 'broken\n', truncated: false } }],
    });
    expect(output.text).toBe('`make all` ended with exit code 2.');
    expect(terminal?.uses).toEqual([{ turnId: 'turn-1', toolCallId: 'call-1' }, undefined]);
    expect(output.violations).toEqual([]);
  });

  it('asks first, and does not run when denied', async () => {
    const { say, host } = await chat(() => {}, {});
    const { output, done } = say('run rm -rf build');
    const call = await output.callIn('pending-confirmation');
    expect(call.shown?.toolInput).toBe('rm -rf build');
    call.answer({ approved: false, reason: 'denied' });
    await done;
    expect(host.terminals).toEqual([]);
    expect(output.text).toContain('`rm -rf build` was not run');
  });

  it('ends when the turn is cancelled', async () => {
    const { say, host } = await chat();
    const { output, controller, done } = say('run sleep 1000');
    await showsTerminal(output);
    controller.abort(new Error('cancelled'));
    await expect(done).rejects.toThrow('cancelled');
    expect(host.terminals.map(({ killCount }) => killCount)).toEqual([1]);
  });

  it('[TERM-5] continues without the agent when a user sends it to the background', async () => {
    const { say, host } = await chat();
    const { output, done } = say('run make all; true\nsay next');
    await showsTerminal(output);
    host.terminals[0]?.detach();
    await done;
    expect(output.text).toContain('was sent to the background');
    expect(output.text).toMatch(/next$/);
    expect(host.terminals[0]?.isRunning).toBe(true);
    expect(output.calls[0]?.result?.content).toEqual([{ ...live, title: 'make all; true' }]);
  });

  it('that cannot be started is reported, and the turn continues', async () => {
    const { say } = await chat(() => {
      throw new Error('no ptys left');
    });
    const { output, done } = say('run make\nsay next');
    await done;
    expect(output.calls[0]?.result?.error).toEqual({ message: 'no ptys left' });
    expect(output.text).toContain('could not be started: no ptys left.');
    expect(output.text).toMatch(/next$/);
  });

  it('keeps the terminals of the last four commands that ended', async () => {
    const { say, host } = await chat((terminal) => terminal.exit(0));
    await say(Array.from({ length: 6 }, () => 'run true').join('\n')).done;
    expect(host.terminals.map(({ releaseCount }) => releaseCount)).toEqual([1, 1, 0, 0, 0, 0]);
  });
});

describe('a background terminal of the demo agent', () => {
  it('outlives the turn, and later turns read it, type into it and kill it', async () => {
    const { say, host } = await chat((terminal) => terminal.print('listening\n'));
    const started = say('serve ./server');
    await started.done;
    const [terminal] = host.terminals;
    expect(started.output.calls[0]?.result?.content).toEqual([
      { ...live, title: './server' },
      { type: 'text', text: 'listening\n' },
    ]);
    expect(terminal?.uses.at(-1)).toBeUndefined();

    const typed = say('type reload now; please\npeek');
    await typed.done;
    expect(terminal?.written).toEqual(['reload now; please\r']);
    expect(typed.output.text).toContain('```\nlistening\n```');
    expect(typed.output.text).toContain('still running');
    expect(terminal?.uses.slice(2)).toEqual([
      { turnId: 'turn-2', toolCallId: 'call-1' },
      undefined,
      { turnId: 'turn-2', toolCallId: 'call-2' },
      undefined,
    ]);

    const killed = say('kill');
    await killed.done;
    expect(terminal?.isRunning).toBe(false);
    expect(killed.output.calls[0]?.result?.content).toMatchObject([
      { type: 'terminal', result: { exitCode: 143 } },
    ]);
  });

  it('that does not exist is reported', async () => {
    const { say } = await chat();
    const { output, done } = say('peek');
    await done;
    expect(output.text).toContain('There is no terminal yet');
  });
});

describe('a command of the user', () => {
  it('[CHAT-17] is repeated by the agent', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('say hi', { model: 'demo-fast', context: ['They ran ls: a b'] });
    await done;
    expect(output.thoughts).toContain('They ran ls: a b');
  });

  it('[CHAT-17] is shortened to one short piece', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('say', { context: [`start ${'x '.repeat(8_000)}end`] });
    await output.until(() => output.thoughts !== '');
    expect(output.thoughts.length).toBeLessThan(2_100);
    expect(output.thoughts).toMatch(/… [^]*x end\n\n$/);
    await done;
  });
});
