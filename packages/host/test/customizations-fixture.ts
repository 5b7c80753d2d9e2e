import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Customization, SessionState } from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import type { TreeOptions } from '../src/workspace/watching/tree-source.ts';
// The host loads it on first use, which the simulated clock does not wait for.
import 'yaml';
import { SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

export const RULE = '---\ndescription: Style\nalwaysApply: true\n---\nUse tabs.\n';

/** A host with a project and a user folder, whose watches the test plays. */
export async function started(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-customizations-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('project/readme.md', '');
  for (const [path, text] of Object.entries(files)) write(path, text);
  const trees: TreeOptions[] = [];
  const host = await startHost({
    roots: [root],
    defaultDirectory: root,
    customizations: { userFolder: join(root, 'user') },
    openTree: async (options) => {
      trees.push(options);
      return {
        size: { folders: 1, entries: 1 },
        rescan: async () => undefined,
        close: async () => undefined,
      };
    },
  });
  const client = await host.client();
  const directory = pathToFileURL(join(root, 'project')).href;
  const open = async (uri = SESSION): Promise<string> => {
    await client.request('createSession', { channel: uri, workingDirectories: [directory] });
    await host.run();
    const { defaultChat } = (await client.subscribe(uri)).state as SessionState;
    if (defaultChat === undefined) throw new Error('no chat');
    await client.subscribe(defaultChat);
    return defaultChat;
  };
  const change = async (path: string, text: string): Promise<void> => {
    write(path, text);
    // Its folders may be new as well.
    for (let at = join(root, path); at !== root; at = dirname(at))
      for (const tree of trees)
        if (at.startsWith(`${tree.root}/`)) tree.onChange({ path: at, type: 'added' });
    await host.advance(5_000);
  };
  return { host, client, root, directory, open, change };
}

/** The customizations of a session for a new subscriber. */
export async function shown(client: RawClient, uri = SESSION): Promise<Customization[]> {
  return ((await client.subscribe(uri)).state as SessionState).customizations ?? [];
}

/** The children of a container. */
export const childrenOf = (entry: Customization | undefined) =>
  entry !== undefined && 'children' in entry ? (entry.children ?? []) : [];
