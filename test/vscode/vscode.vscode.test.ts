// A real VS Code against the host, in a browser. Each stage leaves a picture, and all frames are recorded, in `.cache/vscode-run`.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AhpClient, connect } from '@agenthost/client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { builtProgram } from '../../packages/cli/test/program.ts';
import { installEditor } from '../../scripts/install-vscode.ts';
import { hasChromium, launchChromium } from '../access/chromium.ts';
import { present } from '../agents/chat-reading.ts';
import { type HostAddress, HostProcess } from '../agents/host-process.ts';
import { removeFolder } from '../remove-folder.ts';
import { EditorProcess } from './editor-process.ts';
import { EditorWindow } from './window.ts';

const folder = join(import.meta.dirname, '..', '..', '.cache/vscode-run');
const work = join(folder, 'work');
const frames = join(folder, 'frames.ndjson');
const STAGE_TIMEOUT_MS = 120_000;
/** VS Code waits 1 s before its first attempt to reconnect, then twice as long before each next one, at most 30 s. */
const RECONNECT_TIMEOUT_MS = 60_000;

const { command, reason, tookMs } = await installEditor();
console.log(`VS Code: ${command ?? `skipped: ${reason}`} (${tookMs} ms)`);
if (command === undefined && process.env['REQUIRE_ALL'] === '1')
  throw new Error(`VS Code is required, but it could not be installed: ${reason}`);

describe.skipIf(command === undefined || !hasChromium)('VS Code', () => {
  let host: HostProcess;
  let address: HostAddress;
  let editor: EditorProcess;
  let browser: Browser;
  let window: EditorWindow;
  let cli: AhpClient;
  let second: EditorWindow | undefined;
  let pictures = 0;

  const picture = async (name: string, of = window): Promise<void> => {
    pictures += 1;
    const path = join(folder, 'pictures', `${String(pictures).padStart(2, '0')}-${name}.png`);
    // Lists and parts of the chat fade in and out.
    await of.page.waitForTimeout(400);
    await of.page.screenshot({ path });
  };

  const newWindow = async (): Promise<EditorWindow> => {
    const page = await browser.newPage();
    const opened = new EditorWindow(page);
    await opened.open(editor.windowUrl(work));
    return opened;
  };

  const listed = async (): Promise<string[]> => {
    const uris: string[] = [];
    for await (const { resource } of cli.sessions.list()) uris.push(resource);
    return uris;
  };

  beforeAll(async () => {
    await removeFolder(folder);
    for (const name of ['work', 'editor', 'pictures']) await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(work, 'notes.txt'), 'first line\n');
    host = new HostProcess(folder, {}, ['--record', frames]);
    address = await host.start();
    cli = await connect(address.wsUrl, { token: address.token, clientInfo: { name: 'cli', version: '1' } });
    editor = new EditorProcess(present(command), join(folder, 'editor'));
    await editor.start(address);
    browser = await launchChromium();
  }, STAGE_TIMEOUT_MS);

  afterAll(async () => {
    cli?.close();
    await browser?.close();
    await editor?.stop();
    await host?.stop();
  }, STAGE_TIMEOUT_MS);

  // A stage builds on those before it.
  let isBroken = false;
  beforeEach(({ skip, onTestFailed }) => {
    if (isBroken) skip('an earlier stage failed');
    onTestFailed(async () => {
      for (const open of [window, second])
        if (open !== undefined) await picture('failed', open).catch(() => undefined);
    });
  });

  /** `prove` shows in the picture that it leaves; what it waits for appears, or the stage fails. */
  const stage = (title: string, prove: () => Promise<void>): void =>
    test(title, { timeout: STAGE_TIMEOUT_MS }, async () => {
      await expect(prove()).resolves.toBeUndefined();
    });

  stage('connects, and offers the agents of the host', async () => {
    try {
      window = await newWindow();
      await window.choose('Demo');
      await picture('agent');
    } catch (error) {
      isBroken = true;
      throw error;
    }
  });

  stage('prompts, and shows the answer', async () => {
    await window.send('say hello from the demo agent');
    await window.shows(/^hello from the demo agent$/);
    await picture('prompt');
  });

  stage('shows a change, and writes it once it is approved', async () => {
    await window.send('edit notes.txt one more line');
    await window.shows('Edit notes.txt?');
    await window.chat.getByLabel('View All Changes').last().click();
    await window.page
      .locator('.monaco-editor .view-lines', { hasText: /one\smore\sline/ })
      .first()
      .waitFor();
    await picture('diff');
    expect(await readFile(join(work, 'notes.txt'), 'utf8')).toBe('first line\n');
    await window.button('Allow').click();
    await window.shows(/is written: 25 characters/);
    expect(await readFile(join(work, 'notes.txt'), 'utf8')).toBe('first line\none more line\n');
    await window.run('View: Close All Editors');
    await picture('approved');
  });

  stage('asks a question, and sends the answer', async () => {
    await window.send('question single');
    await window.shows('Which size?');
    await picture('question');
    await window.chat.getByText('Medium', { exact: true }).last().click();
    await window.shows(/Size: medium/);
    await picture('answered');
  });

  stage('streams, and cancels', async () => {
    await window.send('stream 1000 every 30');
    await window.shows(/\[20\] and on it goes/);
    await picture('stream');
    await window.chat
      .getByLabel(/^Cancel/)
      .last()
      .click();
    await window.chat.getByLabel(/^Send/).last().waitFor();
    await picture('cancelled');
    const [session, ...others] = await listed();
    expect(others).toEqual([]);
    const opened = await cli.sessions.open(present(session));
    expect(opened.chat.mirror.confirmed.turns.at(-1)).toMatchObject({ state: 'cancelled' });
  });

  stage('queues a message, which is the next turn', async () => {
    await window.send('stream 100 every 30');
    await window.shows(/\[9\] and on it goes/);
    await window.send('say after the stream', 'Alt+Enter');
    await window.shows('Queued');
    await picture('queue');
    await window.shows(/^after the stream$/);
    await picture('after-queue');
  });

  stage('shows a command that the agent runs in a terminal', async () => {
    await window.send('run echo the sum is $((20 + 3))');
    await window.button('Allow once').click();
    await window.shows(/ended with exit code 0/);
    await picture('terminal-of-the-agent');
  });

  stage('opens a terminal of the host, and types into it', async () => {
    const terminals = await cli.terminals();
    await window.openTerminal();
    const opened = () => terminals.items.find(({ title }) => title === 'Agent Host (Local)');
    await expect.poll(opened).toMatchObject({ claim: { kind: 'client' }, lifecycle: { status: 'running' } });
    await window.showTerminal(/[$#%]/);
    await window.page.keyboard.type('echo "the answer is $((6 * 7))"');
    await window.page.keyboard.press('Enter');
    await window.showTerminal(/the\sanswer\sis\s42/);
    await picture('terminal');
    const watched = await cli.terminal(present(opened()).resource);
    expect(JSON.stringify(watched.state.content)).toContain('the answer is 42');
    watched.close();
    terminals.dispose();
    await window.run('View: Hide Panel');
  });

  stage('[VSC-13] sends the content of an attached file that its window reads', async () => {
    await window.attach('notes.txt');
    await window.send('say attached');
    await window.shows(/^attached$/);
    await picture('attached');
    const opened = await cli.sessions.open(present((await listed())[0]));
    const [attachment] = opened.chat.mirror.confirmed.turns.at(-1)?.message.attachments ?? [];
    expect(attachment).toMatchObject({ type: 'embeddedResource', contentType: 'text/plain' });
    const data = attachment?.type === 'embeddedResource' ? attachment.data : '';
    expect(Buffer.from(data, 'base64').toString()).toBe('first line\none more line\n');
    await window.run('View: Close All Editors');
  });

  stage('answers a call of one of its tools', async () => {
    await window.send('tool usages {"symbol":"first","filePath":"notes.txt","lineContent":"first line"}');
    await window.shows(/No reference provider available/);
    await picture('client-tool');
  });

  stage('opens a session that the command line made', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...builtProgram, 'run', '--agent', 'demo', 'say made by the command line'],
      {
        cwd: work,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: join(folder, 'home'),
          AGENTHOST_URL: address.wsUrl,
          AGENTHOST_TOKEN: address.token,
        },
      },
    );
    expect(stdout).toContain('made by the command line');
    await window.openSession('made by the command line');
    await window.shows(/^made by the command line$/);
    await picture('session-of-the-command-line');
  });

  stage('shows a turn in two windows', async () => {
    second = await newWindow();
    expect(await listed()).toHaveLength(2);
    await second.openSession('made by the command line');
    await second.shows(/^made by the command line$/);
    await window.send('say seen by both');
    await window.shows(/^seen by both$/);
    await second.shows(/^seen by both$/);
    await picture('second-window', second);
    await second.page.close();
    second = undefined;
  });

  stage('[CONN-8] goes on after the host is killed during a turn', async () => {
    // On a loaded machine VS Code renders about 3 chunks a second, and notices the loss of the host only after all that it has received.
    await window.send('stream 3000 every 300');
    await window.shows(/\[20\] and on it goes/);
    await host.kill();
    await picture('killed');
    await host.start();
    cli.reconnectNow();
    await cli.whenOnline();
    await window.chat.getByLabel(/^Send/).last().waitFor({ timeout: RECONNECT_TIMEOUT_MS });
    await picture('restarted');
    await window.send('say alive again');
    await window.shows(/^alive again$/);
    await picture('alive-again');
  });

  stage('shows the transcript after a reload', async () => {
    await window.page.reload();
    await window.chat.waitFor();
    await window.openSession('made by the command line');
    await window.shows(/^alive again$/);
    await picture('reloaded');
  });
});
