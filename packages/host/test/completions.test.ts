import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ChatState, CompletionItem, CompletionsResult } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type HostFixture, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

let folder = '';

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-completions-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function setUp() {
  const host = await startHost({ roots: [folder], defaultDirectory: folder });
  const client = await host.client();
  const { session, chat } = await host.session(client);
  return { host, client, session, chat };
}

interface Asker {
  readonly host: HostFixture;
  readonly client: RawClient;
}

/** Requests completions. Files are read meanwhile, which takes real time. */
async function complete(
  { host, client }: Asker,
  channel: string,
  text: string,
  offset = text.length,
): Promise<CompletionItem[]> {
  const id = client.ask('completions', { channel, kind: 'userMessage', text, offset });
  await vi.waitFor(
    async () => {
      await host.run();
      expect(client.answerTo(id)).toBeDefined();
    },
    { timeout: 30_000 },
  );
  return (await client.answered<CompletionsResult>(id)).items;
}

/** The text with a completion inserted. */
const taken = (text: string, { insertText, rangeStart, rangeEnd }: CompletionItem): string =>
  text.slice(0, rangeStart) + insertText + text.slice(rangeEnd);

/** The words in a message that an attachment stands for. */
function wordsOf(text: string, { attachment }: CompletionItem): string | undefined {
  const { range } = attachment;
  if (range === undefined) return undefined;
  return text.split('\n')[range.start.line]?.slice(range.start.character, range.end.character);
}

async function runTurn({ host, client }: Asker, chat: string, turnId: string, text: string): Promise<void> {
  await client.act(chat, turnStarted(turnId, text));
  await host.run();
  void host.agent.turn.output.markdown(`answer to ${turnId}`);
  host.agent.turn.complete();
  await host.run();
}

test('[CHAT-16] [CONN-1] the characters that ask for completions are in the answer to the handshake', async () => {
  const host = await startHost();
  expect((await host.connect().initialize()).completionTriggerCharacters).toEqual(['@', '/', '#']);
});

describe('[CHAT-16] a file', () => {
  test('is a resource in the working directory, with its words in the message', async () => {
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/main file.ts'), '');
    writeFileSync(join(folder, 'src/logo.png'), '');
    const { host, client, chat } = await setUp();
    const text = '👩‍💻 first\nand 👍 @mai, please';
    const offset = text.indexOf(', please');
    const [item] = await complete({ host, client }, chat, text, offset);
    if (item === undefined) throw new Error('nothing was proposed');
    const whole = taken(text, item);
    expect(whole).toBe('👩‍💻 first\nand 👍 @"src/main file.ts", please');
    expect(wordsOf(whole, item)).toBe('@"src/main file.ts"');
    expect(item.attachment).toMatchObject({
      type: 'resource',
      uri: pathToFileURL(join(folder, 'src/main file.ts')).href,
      label: 'main file.ts',
      displayKind: 'document',
      contentType: 'text/typescript',
    });
    const [logo] = await complete({ host, client }, chat, '@logo');
    expect(logo?.attachment).toMatchObject({ displayKind: 'image', contentType: 'image/png' });
    const [src] = await complete({ host, client }, chat, '@src');
    expect(src).toMatchObject({
      insertText: '@src/',
      attachment: { uri: pathToFileURL(join(folder, 'src')).href, label: 'src', displayKind: 'directory' },
    });
  });

  test('can have any name, and its URI and quoted words lead back to it', async () => {
    const names = ['new\nline', 'quote"s', 'tab\there', '100%#?.md', 'right\u202eleft', 'plain.md', '👍.md'];
    for (const name of names) writeFileSync(join(folder, name), '');
    const { host, client, chat } = await setUp();
    const items = await complete({ host, client }, chat, '@');
    const paths = items.map(({ attachment }) => ('uri' in attachment ? fileURLToPath(attachment.uri) : ''));
    expect(paths.toSorted()).toEqual(names.map((name) => join(folder, name)).toSorted());
    for (const { insertText, attachment } of items) {
      expect(insertText).toMatch(/^@(?:"[^\p{Cc}\p{Cf}]*"|[^\s\p{Cc}\p{Cf}"]+)$/u);
      const words = insertText.slice(1);
      const name: unknown = words.startsWith('"') ? JSON.parse(words) : words;
      expect(name).toBe(attachment.label);
    }
  });

  test('[CHAT-15] is found by the session’s URI as in its default chat, and in the chat’s own folder', async () => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/inner.ts'), '');
    const { host, client, session } = await setUp();
    expect((await complete({ host, client }, session, '@inner')).map(({ insertText }) => insertText)).toEqual(
      ['@sub/inner.ts'],
    );
    const sub = pathToFileURL(join(folder, 'sub')).href;
    await client.act(SESSION, { type: 'session/workingDirectorySet', directory: sub });
    await client.request('createChat', {
      channel: SESSION,
      chat: 'ahp-chat:/sub',
      workingDirectories: [sub],
    });
    expect(
      (await complete({ host, client }, 'ahp-chat:/sub', '@inner')).map(({ insertText }) => insertText),
    ).toEqual(['@inner.ts']);
  });

  test('is not found if git ignores it or its folder is missing', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder });
    writeFileSync(join(folder, '.gitignore'), '*.log');
    for (const name of ['a.log', 'b.ts']) writeFileSync(join(folder, name), '');
    const { host, client, chat } = await setUp();
    const names = async (): Promise<string[]> =>
      (await complete({ host, client }, chat, '@')).map(({ insertText }) => insertText);
    expect((await names()).toSorted()).toEqual(['@.gitignore', '@b.ts']);
    rmSync(folder, { recursive: true });
    expect(await names()).toEqual([]);
    mkdirSync(folder);
  });

  test('keeps the _meta of its attachment, for other clients and after a restart', async () => {
    writeFileSync(join(folder, 'a.ts'), '');
    const { host, client, chat } = await setUp();
    const [item] = await complete({ host, client }, chat, 'See @a');
    if (item === undefined) throw new Error('nothing was proposed');
    const attachment = { ...item.attachment, _meta: { ...item.attachment._meta, deep: [{ x: null }, 'ü'] } };
    expect(item.attachment._meta).toEqual({ 'agenthost.path': 'a.ts' });
    const other = await host.client();
    await other.subscribe(chat);
    const message = { text: 'See @a.ts', origin: { kind: 'user' }, attachments: [attachment] };
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 't',
      message,
    });
    await host.run();
    expect(other.envelopes(chat).at(0)?.action).toMatchObject({ message });
    expect(host.agent.turn.input.message).toEqual(message);
    host.agent.turn.complete();
    await host.run();
    await host.restart();
    const later = await host.client();
    const { state } = await later.subscribe(chat);
    const { turns }: Partial<ChatState> = 'turns' in state ? state : {};
    expect(turns?.[0]?.message).toEqual(message);
  });
});

describe('[CHAT-16] a command', () => {
  const commands = [
    { name: 'plan', description: 'Makes a plan', hint: 'what for' },
    { name: 'explain', description: 'Explains' },
  ];

  test('of the agent is proposed at the beginning of the message only', async () => {
    const { host, client, chat } = await setUp();
    await runTurn({ host, client }, chat, 't', 'go');
    host.agent.opened[0]?.host.commands(commands);
    await host.run();
    const items = await complete({ host, client }, chat, '/');
    expect(items.map(({ insertText }) => insertText)).toEqual(['/plan ', '/explain ']);
    expect(items[0]).toMatchObject({
      rangeStart: 0,
      rangeEnd: 1,
      attachment: {
        type: 'simple',
        label: 'Makes a plan [what for]',
        modelRepresentation: '',
        _meta: { 'agenthost.command': commands[0] },
      },
    });
    expect((await complete({ host, client }, chat, '/pl')).map(({ insertText }) => insertText)).toEqual([
      '/plan ',
      '/explain ',
    ]);
    expect((await complete({ host, client }, chat, '/PN')).map(({ insertText }) => insertText)).toEqual([
      '/plan ',
      '/explain ',
    ]);
    expect(await complete({ host, client }, chat, 'then /pl')).toEqual([]);
    const [within] = await complete({ host, client }, chat, '/pl of it', 2);
    if (within === undefined) throw new Error('nothing was proposed');
    expect(taken('/pl of it', within)).toBe('/plan of it');
  });

  test('is known of an agent that ran earlier, in new sessions and after a restart', async () => {
    const { host, client, chat } = await setUp();
    expect(await complete({ host, client }, chat, '/')).toEqual([]);
    await runTurn({ host, client }, chat, 't', 'go');
    host.agent.opened[0]?.host.commands(commands);
    await host.run();
    await host.restart();
    const again = await host.client();
    const fresh = await host.session(again, 'ahp-session:/two');
    for (const channel of [chat, fresh.chat]) {
      expect(
        (await complete({ host, client: again }, channel, '/ex')).map(({ insertText }) => insertText),
      ).toEqual(['/explain ']);
    }
  });
});

describe('[CHAT-16] an earlier turn', () => {
  test('is found by its message or number, newest first, and has its text', async () => {
    const { host, client, chat } = await setUp();
    await runTurn({ host, client }, chat, 'one', 'Fix the Parser');
    await runTurn({ host, client }, chat, 'two', 'something else');
    await runTurn({ host, client }, chat, 'three', `parser again ${'x'.repeat(200)}`);
    const items = await complete({ host, client }, chat, 'as in #pars');
    expect(items.map(({ insertText }) => insertText)).toEqual(['#3', '#1']);
    expect(items[1]).toMatchObject({
      rangeStart: 6,
      rangeEnd: 11,
      attachment: {
        type: 'simple',
        label: 'Fix the Parser',
        displayKind: 'turn',
        modelRepresentation:
          'Turn 1 of this conversation, as it was:\n\nUser: Fix the Parser\n\nAgent: answer to one',
        _meta: { 'agenthost.turn': { chat, turnId: 'one' } },
      },
    });
    expect((await complete({ host, client }, chat, '#2')).map(({ insertText }) => insertText)).toEqual([
      '#2',
    ]);
    expect(
      (await complete({ host, client }, chat, '#"the parser')).map(({ insertText }) => insertText),
    ).toEqual(['#1']);
  });

  test('is found outside of the window too, but not after a truncation', async () => {
    const { host, client, chat } = await setUp();
    for (let index = 0; index < 70; index += 1)
      await runTurn({ host, client }, chat, `t${index}`, `message ${index} ${index % 2 ? 'odd' : 'even'}`);
    const found = async (text: string): Promise<string[]> =>
      (await complete({ host, client }, chat, text)).map(({ insertText }) => insertText);
    expect(await found('#"message 3 ')).toEqual(['#4']);
    await runTurn({ host, client }, chat, 't70', 'message 70');
    expect((await found('#even')).slice(0, 2)).toEqual(['#69', '#67']);
    expect(await found('#"message 0')).toEqual(['#1']);
    await client.act(chat, { type: 'chat/truncated', turnId: 't1' });
    await host.run();
    expect(await found('#message')).toEqual(['#2', '#1']);
    await runTurn({ host, client }, chat, 'new', 'message anew');
    expect(await found('#message')).toEqual(['#3', '#2', '#1']);
  });

  test('is read once for all clients if it is large', async () => {
    const { host, client, chat } = await setUp();
    for (let index = 0; index < 45; index += 1)
      await runTurn({ host, client }, chat, `t${index}`, `message ${index} of ${'x'.repeat(100_000)}`);
    const readTurns = vi.spyOn(host.journal, 'readTurns');
    const ids = Array.from({ length: 8 }, () =>
      client.ask('completions', { channel: chat, kind: 'userMessage', text: '#"message 1', offset: 11 }),
    );
    await vi.waitFor(
      async () => {
        await host.run();
        for (const id of ids) expect(client.answerTo(id)).toBeDefined();
      },
      { timeout: 30_000 },
    );
    for (const id of ids) {
      const { items } = await client.answered<CompletionsResult>(id);
      expect(items).toHaveLength(8);
      for (const { attachment } of items)
        expect(attachment).toMatchObject({ modelRepresentation: expect.stringContaining('Agent: answer') });
    }
    let rowCount = 0;
    for (const { value } of readTurns.mock.results) rowCount += (await value).length;
    // The turns outside of the window.
    expect(rowCount).toBeLessThanOrEqual(25);
  });

  test('is cut if it is long, never inside a character', async () => {
    const { host, client, chat } = await setUp();
    await runTurn({ host, client }, chat, 'one', `a${'👍'.repeat(2_000)}`);
    const [item] = await complete({ host, client }, chat, '#a');
    if (item?.attachment.type !== 'simple') throw new Error('no turn was proposed');
    const { modelRepresentation = '', label } = item.attachment;
    for (const text of [modelRepresentation, label]) expect(() => encodeURIComponent(text)).not.toThrow();
    expect(modelRepresentation).toContain('[… the rest is left out]');
    expect(modelRepresentation.length).toBeLessThan(2_200);
    expect(label.length).toBeLessThanOrEqual(80);
  });
});

describe('[CHAT-16] a request', () => {
  test.each([
    [{ offset: 4 }, -32602],
    [{ offset: -1 }, -32602],
    [{ offset: 1.5 }, -32602],
    [{ kind: 'other' }, -32602],
    [{ text: 1 }, -32602],
    [{ channel: 'ahp-chat:/none' }, -32008],
    [{ channel: 'ahp-session:/none' }, -32008],
  ])('with %j is refused', async (wrong, code) => {
    const { client, chat } = await setUp();
    const params = { channel: chat, kind: 'userMessage', text: 'abc', offset: 3, ...wrong };
    await expect(client.raw('completions', params)).rejects.toMatchObject({ code });
  });

  test('at both ends of the text, inside a character and in a text of 1 MB is answered', async () => {
    writeFileSync(join(folder, 'a.ts'), '');
    const { host, client, chat } = await setUp();
    const long = 'word\n'.repeat(200_000);
    expect(await complete({ host, client }, chat, '', 0)).toEqual([]);
    expect(await complete({ host, client }, chat, '@a', 0)).toEqual([]);
    expect(await complete({ host, client }, chat, '👍', 1)).toEqual([]);
    const [item] = await complete({ host, client }, chat, `${long}@a`);
    expect(item).toMatchObject({
      insertText: '@a.ts',
      rangeStart: 1_000_000,
      attachment: { range: { start: { line: 200_000, character: 0 }, end: { line: 200_000, character: 5 } } },
    });
  });

  test('among fifty at once gets its own answer', async () => {
    for (let index = 0; index < 50; index += 1) writeFileSync(join(folder, `file-${index}-.ts`), '');
    const { host, client, chat } = await setUp();
    const ids = Array.from({ length: 50 }, (_, index) => {
      const text = `@file-${index}-`;
      return client.ask('completions', { channel: chat, kind: 'userMessage', text, offset: text.length });
    });
    await vi.waitFor(
      async () => {
        await host.run();
        for (const id of ids) expect(client.answerTo(id)).toBeDefined();
      },
      { timeout: 30_000 },
    );
    for (const [index, id] of ids.entries()) {
      const { items } = await client.answered<CompletionsResult>(id);
      expect(items[0]?.insertText).toBe(`@file-${index}-.ts`);
    }
  });
});
