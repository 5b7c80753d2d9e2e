import type { SessionHandle } from '@agenthost/client';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { findSession } from '../input/ids.ts';
import { pluginFolder } from '../input/plugin-folder.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** The host reads no more of a plugin either. */
const LIMITS = { fileCount: 1_000, fileBytes: 64 * 1024, isLargeLeftOut: true };

/** `customizations publish`: publishes a folder as a plugin for a session, until Ctrl-C. */
export async function publishPlugin(
  context: Context,
  screen: Screen,
  { given, folder }: { given: string; folder: string },
  options: HostOptions,
): Promise<ExitCode> {
  const plugin = await pluginFolder(context.cwd, folder, LIMITS);
  const { id, name, files } = plugin;
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: 0 });
    const interruption = new Interruption(context);
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    const stopTelling = tellLoad(session, screen, id);
    try {
      await session.publishPlugin(plugin, { displayName: `plugin ${name}` });
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
