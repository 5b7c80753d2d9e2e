import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingKeywords, openChat, type RecordedCall } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from './provider.ts';
import type { DemoTimers } from './timers.ts';

let folder = '';
let workingDirectory = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demo-'));
  workingDirectory = join(folder, 'work');
  await mkdir(workingDirectory);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Time that passes at once and is counted. */
function instant(): DemoTimers & { passedMs: number } {
  const timers = {
    passedMs: 0,
    after(delayMs: number, callback: () => void): () => void {
      timers.passedMs += delayMs;
      let isCancelled = false;
      setImmediate(() => {
        if (!isCancelled) callback();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
  return timers;
}

async function chat(options: { memory?: unknown; config?: Record<string, unknown> } = {}) {
  const timers = instant();
  const provider = createDemoProvider({ timers, keywords: failingKeywords });
  return { timers, provider, ...(await openChat(provider, { workingDirectory, ...options })) };
}

const written = (name: string): Promise<string> => readFile(join(workingDirectory, name), 'utf8');

const denied = { approved: false, reason: 'denied' } as const;

function lastText(call: RecordedCall): string | undefined {
  const [content] = call.result?.content ?? [];
  return content?.type === 'text' ? content.text : undefined;
}

describe('answers of the demo agent', () => {
  it('[ROOT-4] uses the nickname of its config, whose completions match the query', async () => {
    const provider = createDemoProvider();
    const complete = (property: string, query: string) =>
      provider.completeConfig?.({ property, query, workingDirectory: '/', values: {} });
    expect((await complete('nickname', 'a'))?.map(({ value }) => value)).toEqual(['Ada', 'Alan']);
    expect(await complete('nickname', '')).toHaveLength(10);
    expect(await complete('askBeforeWriting', '')).toBeUndefined();
    const { prompt } = await chat({ config: { nickname: 'Grace' } });
    const { output, done } = prompt('hello', { model: 'demo-fast' });
    await done;
    expect(output.text).toContain('**This is the demo agent**, Grace');
  });

  it('answers a prompt without keywords with a quote and the list of keywords', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('What a day');
    await done;
    expect(output.text).toContain('> What a day');
    expect(output.text).toContain('| `write <file> [text]` |');
    expect(output.thoughts).not.toBe('');
    expect(output.events.filter(({ kind }) => kind === 'markdown').length).toBeGreaterThan(20);
  });

  it('is the same for the same turn id, and split differently for another', async () => {
    const { prompt } = await chat();
    const runs = ['turn-a', 'turn-a', 'turn-b'].map(async (turnId) => {
      const { output, done } = prompt('say one two three four five six seven eight nine ten', { turnId });
      await done;
      return output.events.map((event) => (event.kind === 'markdown' ? event.text : ''));
    });
    const [first, again, other] = await Promise.all(runs);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(other?.join('')).toBe(first?.join(''));
  });

  it('streams the given number of chunks at the given pace, without loss', async () => {
    const { prompt, timers } = await chat();
    const { output, done } = prompt('stream 50 every 7 of 32');
    await done;
    const chunks = output.events.flatMap((event) => (event.kind === 'markdown' ? [event.text] : []));
    expect(chunks).toHaveLength(50);
    expect(chunks.every((chunk, index) => chunk.startsWith(`[${index + 1}] `) && chunk.length === 32)).toBe(
      true,
    );
    expect(timers.passedMs).toBe(350);
  });

  it('streams at the pace of the host with a pause of 0', async () => {
    const { prompt, timers } = await chat();
    const { output, done } = prompt('stream 1000 every 0', { model: 'demo-fast' });
    let waiting = 0;
    let mostWaiting = 0;
    output.backPressure = async () => {
      waiting += 1;
      mostWaiting = Math.max(mostWaiting, waiting);
      await new Promise((resolve) => setImmediate(resolve));
      waiting -= 1;
    };
    await done;
    expect(output.events.filter(({ kind }) => kind === 'markdown')).toHaveLength(1000);
    expect(mostWaiting).toBe(1);
    expect(timers.passedMs).toBe(0);
  });

  it('creates parts of alternating kinds', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('parts 5');
    await done;
    expect(output.events.map(({ kind }) => kind).slice(0, 5)).toEqual([
      'markdown',
      'reasoning',
      'markdown',
      'reasoning',
      'markdown',
    ]);
  });

  it('reports counted usage at the end, the given usage, or none', async () => {
    const { prompt } = await chat();
    const counted = prompt('say four');
    const told = prompt('usage 11 22');
    const silent = prompt('silence');
    await Promise.all([counted.done, told.done, silent.done]);
    expect(counted.output.lastUsage).toEqual({ inputTokens: 2, outputTokens: 1, model: 'demo' });
    expect(told.output.lastUsage).toEqual({ inputTokens: 11, outputTokens: 22 });
    expect(silent.output.events).toEqual([]);
  });

  it('reports title, notices and activity', async () => {
    const { prompt, host } = await chat();
    const { output, done } = prompt('title A fine name\nnotify Take care\nwait 300');
    await done;
    expect(host.titles).toEqual(['A fine name']);
    expect(output.events).toContainEqual({ kind: 'notify', content: 'Take care' });
    expect(output.events).toContainEqual({ kind: 'activity', text: 'Waiting 300 ms' });
    expect(output.events).toContainEqual({ kind: 'activity', text: undefined });
  });

  it('offers its keywords as commands', async () => {
    const { host } = await chat();
    expect(host.commandList.map(({ name }) => name)).toContain('write');
  });
});

describe('files of the demo agent', () => {
  it('writes after approval, and shows the edit before', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('write notes/one.txt Hello');
    const call = await output.callIn('pending-confirmation');
    await expect(written('notes/one.txt')).rejects.toThrow('ENOENT');
    expect(call.shown).toMatchObject({
      toolInput: '{"path":"notes/one.txt","content":"Hello\\n"}',
      editable: true,
      options: [
        { id: 'allow-once', kind: 'approve' },
        { id: 'deny', kind: 'deny' },
      ],
    });
    expect(call.input).toBe(call.shown?.toolInput);
    expect(output.fileChanges[0]).toEqual({
      uri: expect.stringMatching(/^file:.*one\.txt$/),
      after: 'Hello\n',
    });
    call.answer({ approved: true });
    await done;
    expect(await written('notes/one.txt')).toBe('Hello\n');
    expect(call.result).toMatchObject({ success: true, content: [{ type: 'fileEdit' }] });
    expect(output.violations).toEqual([]);
  });

  it('does not write when denied, and repeats the suggestion', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('write notes.txt Hello');
    const call = await output.callIn('pending-confirmation');
    call.answer({ ...denied, suggestion: { text: 'try a haiku', origin: { kind: 'user' } } });
    await done;
    await expect(written('notes.txt')).rejects.toThrow('ENOENT');
    expect(output.text).toContain('Denied');
    expect(output.text).toContain('try a haiku');
  });

  it('writes the edited input', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('write notes.txt Hello');
    const call = await output.callIn('pending-confirmation');
    call.answer({ approved: true, toolInput: '{"path":"other.txt","content":"Bye"}' });
    await done;
    expect(await written('other.txt')).toBe('Bye');
    await expect(written('notes.txt')).rejects.toThrow('ENOENT');
  });

  it('edits an existing file, and shows both sides', async () => {
    await writeFile(join(workingDirectory, 'notes.txt'), 'one');
    const { prompt } = await chat();
    const { output, done } = prompt('edit notes.txt two');
    (await output.callIn('pending-confirmation')).answer({ approved: true });
    await done;
    expect(await written('notes.txt')).toBe('one\ntwo\n');
    expect(output.fileChanges[0]).toMatchObject({ before: 'one', after: 'one\ntwo\n' });
  });

  it('does not ask if the config says so', async () => {
    const { prompt, session } = await chat({ config: { askBeforeWriting: false } });
    const first = prompt('write notes.txt Hello');
    await first.done;
    expect(await written('notes.txt')).toBe('Hello\n');
    expect(first.output.calls[0]?.questions).toEqual([]);
    await session.setConfig?.({ askBeforeWriting: true });
    const second = prompt('write notes.txt Again');
    (await second.output.callIn('pending-confirmation')).answer(denied);
    await second.done;
    expect(await written('notes.txt')).toBe('Hello\n');
  });

  it('reads and lists without asking', async () => {
    await mkdir(join(workingDirectory, 'src'));
    await writeFile(join(workingDirectory, 'notes.txt'), 'one\ntwo\n');
    await writeFile(join(workingDirectory, 'src/one.txt'), 'one\n');
    const { prompt } = await chat();
    const { output, done } = prompt('list; read notes.txt; read src/one.txt');
    await done;
    expect(output.calls.map(lastText)).toEqual(['notes.txt\nsrc/', 'one\ntwo\n', 'one\n']);
    expect(output.text).toContain('has 2 lines.');
    expect(output.text).toContain('has 1 line.');
    expect(output.violations).toEqual([]);
  });

  it.each([
    '../secret.txt',
    '<folder>/secret.txt',
    'link/secret.txt',
    'file-link.txt',
    'dangling.txt',
    'src/../../secret.txt',
  ])('does not access %s', async (given) => {
    // Even with a broken check, only the test's own folder can be reached.
    const path = given.replace('<folder>', folder);
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await symlink(folder, join(workingDirectory, 'link'));
    await symlink(join(folder, 'secret.txt'), join(workingDirectory, 'file-link.txt'));
    await symlink(join(folder, 'new.txt'), join(workingDirectory, 'dangling.txt'));
    const { prompt } = await chat({ config: { askBeforeWriting: false } });
    const { output, done } = prompt(`read ${path}\nwrite ${path} changed`);
    await done;
    expect(output.calls.map(({ result }) => result?.success)).toEqual([false, false]);
    expect(output.calls.map(lastText).join()).toMatch(/outside the working directory|leads nowhere/);
    expect(await readFile(join(folder, 'secret.txt'), 'utf8')).toBe('secret');
    await expect(readFile(join(folder, 'new.txt'))).rejects.toThrow('ENOENT');
    expect(output.violations).toEqual([]);
  });

  it('checks the path of an edited input again', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('write notes.txt Hello');
    const call = await output.callIn('pending-confirmation');
    call.answer({ approved: true, toolInput: '{"path":"../out.txt","content":"Bye"}' });
    await done;
    expect(call.result?.success).toBe(false);
    await expect(readFile(join(folder, 'out.txt'))).rejects.toThrow('ENOENT');
    expect(output.violations).toEqual([]);
  });

  it('fails the call, not the turn, for invalid input', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('write notes.txt Hello');
    const call = await output.callIn('pending-confirmation');
    call.answer({ approved: true, toolInput: '{"path":3}' });
    await done;
    expect(call.result?.error?.message).toContain('"path" and "content"');
  });
});

describe('questions of the demo agent', () => {
  it('offers several options and reports the chosen one', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('ask options');
    const call = await output.callIn('pending-confirmation');
    expect(call.shown?.options?.map(({ kind }) => kind)).toEqual(['approve', 'approve', 'deny', 'deny']);
    const selectedOption = call.shown?.options?.[1];
    call.answer({ approved: true, ...(selectedOption ? { selectedOption } : {}) });
    await done;
    expect(output.text).toContain('"Allow for this turn"');
    expect(call.status).toBe('completed');
  });

  it('asks again while it runs', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('ask twice');
    const call = await output.callIn('pending-confirmation');
    call.answer({ approved: true });
    await output.until(() => call.questions.length === 2);
    expect(call.status).toBe('pending-confirmation');
    call.answer({ approved: true });
    await done;
    expect(call.status).toBe('completed');
    expect(call.contents).toHaveLength(1);
  });

  it.each([
    [true, 'completed', 'Pondered'],
    [false, 'cancelled', 'not used'],
  ] as const)('waits for the approval of its result: %s', async (isApproved, status, text) => {
    const { prompt } = await chat();
    const { output, done } = prompt('ask result');
    (await output.callIn('pending-confirmation')).answer({ approved: true });
    const call = await output.callIn('pending-result-confirmation');
    call.answerResult(isApproved);
    await done;
    expect(call.status).toBe(status);
    expect(output.text).toContain(text);
  });

  it('uses edited input, and continues when denied', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('ask edit; ask');
    const first = await output.callIn('pending-confirmation');
    expect(first.shown?.editable).toBe(true);
    first.answer({ approved: true, toolInput: 'less' });
    const second = await output.callIn('pending-confirmation');
    expect(second.shown?.editable).toBeUndefined();
    second.answer(denied);
    await done;
    expect(lastText(first)).toBe('less');
    expect(output.text).toContain('No pondering');
  });

  it('shows growing output while it runs, and large output at once', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('progress 3; big 300');
    await done;
    const [work, print] = output.calls;
    expect(work?.contents).toHaveLength(3);
    expect(work?.result?.success).toBe(true);
    expect(print && lastText(print)?.length).toBe(300 * 1024);
  });
});

describe('memory of the demo agent', () => {
  it('contains earlier turns after a restart', async () => {
    const first = await chat();
    await first.prompt('say one').done;
    await first.prompt('say two').done;
    await first.session.close();
    const second = await chat({ memory: first.host.memory });
    const { output, done } = second.prompt('recall');
    await done;
    expect(output.text).toContain('I remember 2 turns before this one. The last prompt was "say two".');
  });

  it('uses the singular for one turn', async () => {
    const { prompt } = await chat();
    await prompt('say one').done;
    const { output, done } = prompt('recall');
    await done;
    expect(output.text).toMatch(/^I remember 1 turn before this one/);
  });

  it('is empty if the saved memory is invalid', async () => {
    const { prompt } = await chat({ memory: { turnCount: 'many' } });
    const { output, done } = prompt('recall');
    await done;
    expect(output.text).toContain('I remember 0 turns');
  });
});

describe('ends of the demo agent', () => {
  it('fails with a reason', async () => {
    const { prompt } = await chat();
    await expect(prompt('say on it; fail no luck').done).rejects.toMatchObject({
      errorType: 'demoFailed',
      message: 'no luck',
    });
  });

  it('exits, reports the exit to the host and ends the session', async () => {
    const { prompt, host } = await chat();
    await expect(prompt('crash boom').done).rejects.toMatchObject({ errorType: 'agentExited' });
    expect(host.exits).toEqual(['boom']);
    await expect(prompt('say hello').done).rejects.toMatchObject({ errorType: 'agentExited' });
  });

  it('ends the turn while a call still runs', async () => {
    const { prompt } = await chat();
    const { output, done } = prompt('forget');
    await done;
    expect(output.calls.map(({ status }) => status)).toEqual(['running']);
  });

  it.each(['hang', 'stream 100000', 'wait 3600000', 'ask'])(
    'stops quickly when "%s" is cancelled',
    async (text) => {
      const timers: DemoTimers = {
        after: (delayMs, callback) => {
          if (delayMs > 60_000) return () => undefined;
          const immediate = setImmediate(callback);
          return () => clearImmediate(immediate);
        },
      };
      const { prompt } = await openChat(createDemoProvider({ timers }), { workingDirectory });
      const { output, controller, done } = prompt(text);
      await output.until(() => output.events.length > 0);
      controller.abort(new Error('cancelled'));
      // As the host does: it closes open questions when the turn ends.
      output.end();
      await expect(done).rejects.toThrow('cancelled');
    },
  );

  it('ignores a cancel when stubborn, until it is terminated', async () => {
    const { prompt, session } = await chat();
    const { output, controller, done } = prompt('stubborn');
    await output.until(() => output.events.length > 0);
    controller.abort();
    const settled = done.then(
      () => 'settled',
      () => 'settled',
    );
    const later = new Promise((resolve) => setImmediate(() => setImmediate(() => resolve('still there'))));
    expect(await Promise.race([settled, later])).toBe('still there');
    await session.terminate();
    await expect(done).rejects.toMatchObject({ errorType: 'agentExited' });
  });

  it('ends every open session when the provider is disposed, and may be disposed twice', async () => {
    const { prompt, provider } = await chat();
    const { done } = prompt('stubborn');
    await provider.dispose();
    await provider.dispose();
    await expect(done).rejects.toMatchObject({ errorType: 'agentExited' });
    await expect(openChat(provider, { workingDirectory })).rejects.toThrow('disposed');
  });
});

describe('the description of the demo agent', () => {
  it('is always available, with two models and one setting', async () => {
    const { provider } = await chat();
    expect(await provider.availability()).toEqual({ available: true, source: 'built in', isBuiltIn: true });
    expect(provider.describe().models.map(({ id }) => id)).toEqual(['demo', 'demo-fast']);
    const resolved = await provider.resolveConfig?.({
      workingDirectory,
      values: { askBeforeWriting: false },
    });
    expect(resolved?.values).toEqual({ askBeforeWriting: false });
    expect(resolved?.schema.properties['askBeforeWriting']?.sessionMutable).toBe(true);
  });
});

describe('[CHAT-23] a resumed turn of the demo agent', () => {
  it('continues behind the step that failed, also in another session', async () => {
    const prompt = 'say one\nfail\nsay two';
    const first = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
    const failed = first.prompt(prompt, { turnId: 't', model: 'demo-fast' });
    await expect(failed.done).rejects.toMatchObject({ errorType: 'demoFailed' });
    expect(failed.output.text).toBe('one');
    const { memory } = first.host;
    expect(createDemoProvider().canResumeTurns?.(memory)).toBe(true);
    const next = await openChat(createDemoProvider(), { workingDirectory: tmpdir(), memory });
    const resumed = next.prompt(prompt, { turnId: 't', model: 'demo-fast', isResumed: true });
    await resumed.done;
    expect(resumed.output.text).toBe('Continuing.\n\ntwo');
  });

  it('begins again when the agent does not remember it', async () => {
    const chat = await openChat(createDemoProvider(), { workingDirectory: tmpdir() });
    const resumed = chat.prompt('say one', { turnId: 't', model: 'demo-fast', isResumed: true });
    await resumed.done;
    expect(resumed.output.text).toBe('one');
  });
});
