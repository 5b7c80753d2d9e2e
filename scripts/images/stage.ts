// A host in this process with the sessions of the pictures. Its folder has a name that can be shown.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ACP_CATALOGUE,
  createAcpProvider,
  createDemoProvider,
  type DemoKeyword,
  mergeAgentConfigs,
} from '@agenthost/agents';
import { type AhpClient, type Clock, connect, type SessionHandle } from '@agenthost/client';
import { createHost } from '@agenthost/host';
import { realTimers } from '@agenthost/rpc';
import { writeBakery } from './bakery.ts';
import { type ImageSession, sessions } from './sessions.ts';
import { tracedSession } from './traced-session.ts';

/** Folder of the host and of the projects. Pictures show paths below it. */
const FOLDER = join(tmpdir(), 'agenthost-images');
const HOME = join(FOLDER, 'home/ada');
const TOKEN = 'token-of-the-host-whose-pictures-are-taken';
const MINUTE_MS = 60_000;
/** Time that a person takes to read a question. */
const READING_MS = 1_800;

/** A host that is filled with sessions, and their addresses in the page. */
export interface ImageStage {
  readonly origin: string;
  readonly token: string;
  /** Path of a terminal of a person in the page. */
  readonly shellPath: string;
  /** Path of a session in the page, by its title. */
  readonly pathOf: (title: string) => string;
  stop(): Promise<void>;
}

/** Starts the host with the page in `page`, and fills it. `more`: sessions beyond the usual ones. */
export async function startStage(page: string, more: readonly ImageSession[] = []): Promise<ImageStage> {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(HOME, { recursive: true });
  await writeFile(
    join(HOME, '.bashrc'),
    String.raw`PS1='\[\e[32m\]ada\[\e[0m\] \[\e[34m\]\w\[\e[0m\] $ '` + '\n',
  );
  for (const project of ['bakery', 'website']) await writeBakery(join(HOME, project));
  const all = [...more, ...sessions, tracedSession].sort((a, b) => b.minutesAgo - a.minutesAgo);
  // The host's clock only goes forwards.
  let offsetMs = Math.max(...all.map(({ minutesAgo }) => minutesAgo)) * MINUTE_MS;
  const host = createHost({
    dataDir: join(FOLDER, 'data'),
    agents: [() => createDemoProvider({ keywords: all.flatMap(keywordsOf) })],
    // None of the known agents is installed on this machine.
    otherAgents: mergeAgentConfigs(ACP_CATALOGUE, [], 'agents').map(
      (agent) =>
        ({ children, timers }) =>
          createAcpProvider(agent, { childRegistry: children, timers, environment: { PATH: '', HOME } }),
    ),
    listen: { port: 0, token: TOKEN, page: { folder: page } },
    terminals: { keeper: false, shell: '/bin/bash', env: { HOME, TERM: 'xterm-256color' } },
    serverInfo: { name: 'agenthost', version: '0.1.0' },
    defaultDirectory: HOME,
    // Nobody holds the terminals once the client that opened them has left.
    graceMs: 0,
    clock: { now: () => Date.now() - offsetMs },
  });
  const address = await host.start();
  if (address === undefined) throw new Error('the host does not listen');
  const client = await connect(address.wsUrl, {
    token: TOKEN,
    // Turns begin at the time of the client that starts them.
    clock: { ...realTimers, now: () => Date.now() - offsetMs } satisfies Clock,
    clientInfo: { name: 'images', title: 'Command line', version: '1' },
  });
  const paths = new Map<string, string>();
  for (const each of all) {
    offsetMs = each.minutesAgo * MINUTE_MS;
    paths.set(each.title, await fill(client, each));
  }
  offsetMs = 0;
  const shell = await openTerminals(client);
  client.close();
  return {
    origin: address.url,
    token: TOKEN,
    shellPath: `/terminals?open=${encodeURIComponent(shell)}`,
    pathOf: (title) => {
      const path = paths.get(title);
      if (path === undefined) throw new Error(`no session has the title ${title}`);
      return path;
    },
    stop: async () => {
      await host.stop();
      await rm(FOLDER, { recursive: true, force: true });
    },
  };
}

/** A prompt is found by its first word. */
function keywordsOf({ acts, project = 'bakery' }: ImageSession): DemoKeyword[] {
  return acts.map(({ prompt, play }) => ({
    words: [prompt.split(' ', 1).join('').toLowerCase()],
    usage: '',
    description: prompt,
    read: () => ({ kind: 'added', skipsUsage: true, run: (stage) => play(stage, join(HOME, project)) }),
  }));
}

/** Creates a session and plays its acts. Resolves with its path in the page. */
async function fill(
  client: AhpClient,
  { title, acts, left, project = 'bakery' }: ImageSession,
): Promise<string> {
  const session = await client.sessions.create({
    provider: 'demo',
    workingDirectories: [`file://${join(HOME, project)}`],
  });
  await session.rename(title);
  for (const [index, { prompt, isApproved = false }] of acts.entries()) {
    const { result } = session.prompt(prompt);
    if (isApproved) await approve(session);
    if (left === 'open' && index === acts.length - 1) await isWaiting(session.chat.mirror);
    else await result;
  }
  if (left !== 'unread') await session.setRead(true);
  if (left === 'archived') await session.setArchived(true);
  const path = `/s/${encodeURIComponent(session.uri)}`;
  session.dispose();
  return path;
}

/** Allows the next call that asks, as a person who reads it first. */
async function approve(session: SessionHandle): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = session.mirror.onChange(() => {
    if (session.toolConfirmations().length > 0) resolve();
  });
  await promise.finally(stop);
  await pause(READING_MS);
  await session.toolConfirmations()[0]?.approve();
}

/** Resolves when the running turn has been silent for a while: it waits for a person or a program. */
function isWaiting(mirror: { onChange(listener: () => void): () => void }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const quiet = (): NodeJS.Timeout => setTimeout(resolve, 1_000);
  let timer = quiet();
  const stop = mirror.onChange(() => {
    clearTimeout(timer);
    timer = quiet();
  });
  return promise.finally(stop);
}

/** Two terminals of a person, with commands that have run in them. Resolves with the channel of the shell. */
async function openTerminals(client: AhpClient): Promise<string> {
  const cwd = `file://${join(HOME, 'bakery')}`;
  const server = await client.createTerminal({
    name: 'Shop server',
    cwd,
    command: ['/bin/sh', '-c', 'echo "Shop on http://localhost:8080"; exec sleep 100000'],
  });
  const shell = await client.createTerminal({ name: 'Shell', cwd, cols: 118, rows: 46 });
  for (const line of ['ls', 'cat package.json', 'ls missing', 'node --test']) {
    await shell.input(`${line}\r`);
    await new Promise((resolve) => {
      setTimeout(resolve, line === 'node --test' ? 2_500 : 700);
    });
  }
  shell.close();
  server.close();
  return shell.uri;
}
