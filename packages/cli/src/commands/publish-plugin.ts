import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Maximum files of a plugin, and bytes of each. The host reads no more either. */
const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 64 * 1024;
/** Folders without customizations. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** `customizations publish`: publishes a folder as a plugin for a session, until Ctrl-C. */
export async function publishPlugin(
  context: Context,
  screen: Screen,
  { given, folder }: { given: string; folder: string },
  options: HostOptions,
): Promise<ExitCode> {
  const path = resolve(context.cwd, folder);
  const files = await readFolder(path);
  const name = basename(path);
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 0 });
    const interruption = new Interruption(context);
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    const id = `folder-${name}`;
    const stopTelling = tellLoad(session, screen, id);
    try {
      await session.publishPlugin({ id, name, files }, { displayName: `plugin ${name}` });
      screen.note(`published ${Object.keys(files).length} files of ${oneLine(name, 100)}, until Ctrl-C`);
      await new Promise<void>((done) => {
        if (interruption.signal.aborted) done();
        interruption.signal.addEventListener('abort', () => done(), { once: true });
      });
      const { reason } = interruption;
      if (reason?.message !== undefined) throw new CliError(reason.exitCode, reason.message);
      return EXIT.done;
    } finally {
      stopTelling();
      leave();
      interruption.dispose();
      session.dispose();
      // The withdrawal is on its way.
      await client.ping().catch(() => undefined);
    }
  });
}

/** Tells what the host has read, once for each result. */
function tellLoad({ mirror }: SessionHandle, screen: Screen, id: string): () => void {
  let told = '';
  return mirror.onChange(() => {
    const plugin = mirror.state.customizations?.find((each) => each.id === id);
    if (plugin?.type !== 'plugin' || plugin.load === undefined) return;
    const { load, children = [] } = plugin;
    const faults = 'message' in load ? load.message.split('\n') : [];
    const lines = [
      `${load.kind}: ${children.length} customizations`,
      ...faults.map((fault) => `  ${oneLine(fault, 500)}`),
    ];
    if (told === lines.join('\n')) return;
    told = lines.join('\n');
    for (const line of lines) screen.line(line);
  });
}

/** The files of a folder by path. Rejects with a `CliError`. */
async function readFolder(root: string): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  const walk = async (path: string): Promise<void> => {
    const entries = await readdir(join(root, path), { withFileTypes: true });
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const at = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) await walk(at);
      if (!entry.isFile() || (await stat(join(root, at))).size > MAX_FILE_BYTES) continue;
      if (Object.keys(files).length === MAX_FILES)
        throw new CliError(
          EXIT.error,
          `${oneLine(root)} has more than ${MAX_FILES} files, the limit of a plugin`,
        );
      files[at] = await readFile(join(root, at));
    }
  };
  try {
    await walk('');
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(EXIT.error, `cannot read ${oneLine(root)}: ${oneLine(errorText(cause))}`, { cause });
  }
  return files;
}
