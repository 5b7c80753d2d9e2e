import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { turnStarted, userMessage } from '@agenthost/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { startHost } from './host-fixture.ts';
import { chatOf, inTurn } from './in-turn.ts';
import { steered } from './steered.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'attachments-')));
  folders.push(folder);
  return folder;
}

const uriOf = (...path: string[]): string => pathToFileURL(join(...path)).href;
const start = { line: 0, character: 0 };
/** One attachment of each kind, and one of an unknown kind. */
const attachments = [
  { type: 'simple', label: 's', modelRepresentation: 'x', _meta: { token: [1, null, { deep: true }] } },
  { type: 'embeddedResource', label: 'e', data: 'AAAA', contentType: 'image/png', displayKind: 'image' },
  {
    type: 'resource',
    label: 'r',
    uri: 'file:///w/a',
    sizeHint: 3,
    selection: { range: { start, end: start } },
  },
  { type: 'annotations', label: 'a', resource: 'ahp-session:/one/annotations', annotationIds: ['1'] },
  { type: 'hologram', label: 'h', beam: { colour: 'green' } },
];
const message = (text: string) => ({ ...userMessage(text), attachments });

/** Texts that the agent of a turn reads, or the errors. */
async function inFolder() {
  const folder = temporaryFolder();
  const host = await startHost({ defaultDirectory: folder, roots: [folder] });
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(chat, turnStarted('t1'));
  await host.run();
  const { turn } = host.agent;
  const read = (uri: string, options?: { maxBytes: number }): Promise<string> =>
    turn.input.readResource(uri, options).then(
      ({ data, contentType }) => `${Buffer.from(data).toString('utf8')} as ${contentType}`,
      (error: unknown) =>
        error instanceof Error && 'reason' in error ? String(error.reason) : String(error),
    );
  return { folder, host, client, chat, turn, read };
}

describe('an attachment of a message', () => {
  it('[CHAT-16] reaches the agent whole, with its _meta, whatever its kind', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, { ...turnStarted('t2'), message: message('look') });
    await host.run();
    expect(host.agent.turn.input.message.attachments).toEqual(attachments);
  });

  it('[CHAT-12] waits in the queue unchanged, after a kill of the host too', async () => {
    const { host, client, chat } = await inTurn();
    await client.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'queued',
      id: 'q',
      message: message('q'),
    });
    await host.restart();
    const again = await host.client();
    await again.subscribe(chat);
    expect((await chatOf(again, chat)).queuedMessages?.[0]?.message.attachments).toEqual(attachments);
    await again.act(chat, { type: 'chat/queuedMessagesReordered', order: ['q'] });
    await host.run();
    expect(host.agent.turn.input.message.attachments).toEqual(attachments);
  });

  it('[CHAT-12] is part of a steering message, and is complete in the turn, with its name in the text', async () => {
    const { host, client, chat, asked } = await steered();
    await client.act(chat, {
      type: 'chat/pendingMessageSet',
      kind: 'steering',
      id: 's',
      message: message('this way'),
    });
    expect(asked.messages[0]?.attachments).toEqual(attachments);
    asked.last.resolve(true);
    await host.run();
    const [part] = (await chatOf(client, chat)).activeTurn?.responseParts ?? [];
    expect(part).toMatchObject({
      content: 'Steering message: this way [s] [e] [r] [a] [h]',
      'x-steering': { message: { attachments } },
    });
  });

  it('[CHAT-17] keeps its positions in the text when the leading backslash is removed', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.turn.complete();
    await host.run();
    const at = (line: number, from: number, to: number) => ({
      type: 'simple',
      label: 'x',
      range: { start: { line, character: from }, end: { line, character: to } },
    });
    const placed = { ...userMessage('\\!see @x\nand @x'), attachments: [at(0, 6, 8), at(1, 4, 6)] };
    await client.act(chat, { ...turnStarted('t2'), message: placed });
    await host.run();
    const { text, attachments: given } = host.agent.turn.input.message;
    expect(text).toBe('!see @x\nand @x');
    expect(given).toEqual([at(0, 5, 7), at(1, 4, 6)]);
  });

  it('[CHAT-17] does not go to a command, and a notice says so', async () => {
    const { host, client, chat } = await inTurn();
    host.agent.turn.complete();
    await host.run();
    await client.act(chat, { ...turnStarted('t2'), message: message('!') });
    await host.run();
    expect((await chatOf(client, chat)).turns.at(-1)?.responseParts).toContainEqual({
      kind: 'systemNotification',
      content: 'Attachments are not passed to a command: s, e, r, a, h.',
    });
  });
});

describe('a resource that an attachment names', () => {
  it('[RES-2] is read within working directories, after symbolic links', async () => {
    const { folder, read } = await inFolder();
    const outside = temporaryFolder();
    writeFileSync(join(folder, 'a.ts'), 'let a;');
    writeFileSync(join(outside, 'secret'), 'secret');
    symlinkSync(join(outside, 'secret'), join(folder, 'way-out'));
    mkdirSync(join(folder, 'src'));
    expect(await read(uriOf(folder, 'a.ts'))).toBe('let a; as text/typescript');
    expect(await read(uriOf(outside, 'secret'))).toBe('denied');
    expect(await read(uriOf(folder, 'way-out'))).toBe('denied');
    expect(await read(uriOf(outside, 'none'))).toBe('denied');
    expect(await read(uriOf(folder, 'none'))).toBe('missing');
    expect(await read(uriOf(folder, 'src'))).toBe('folder');
    expect(await read(uriOf(folder, 'a.ts'), { maxBytes: 5 })).toBe('tooLarge');
    expect(await read(uriOf(folder, 'a.ts'), { maxBytes: 6 })).toBe('let a; as text/typescript');
    expect(await read('file:///a%2fb')).toBe('unreadable');
    expect(await read('https://example.com/a')).toBe('elsewhere');
  });

  it('[RES-1] may be content that the host stores', async () => {
    const { folder, host, turn, read } = await inFolder();
    const { before } = turn.output.fileEdit({ uri: uriOf(folder, 'a.ts'), before: 'was', after: 'is' });
    await host.run();
    const uri = before?.content.uri ?? '';
    expect(await read(uri)).toMatch(/^was as /);
    expect(await read(uri, { maxBytes: 2 })).toBe('tooLarge');
    expect(await read(uri.replace(/^(agenthost-content:\/[^/]+)/, '$10'))).toBe('missing');
  });
});
