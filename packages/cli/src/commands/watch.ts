import { type AhpClient, ChannelLost, type SessionHandle } from '@agenthost/client';
import { ROOT_URI } from '@agenthost/protocol';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { Interruption } from '../process/interruption.ts';
import { LineReader } from '../process/line-reader.ts';
import type { Screen } from '../render/screen.ts';
import { SessionView } from '../watch/session-view.ts';

/** Options of `watch` as parsed. */
export interface WatchOptions extends HostOptions {
  /** Turns of the past. */
  readonly turns: number;
  readonly json?: boolean;
}

/** `watch`: shows a session live, and takes answers and cancellation, until it is left or the session goes. */
export async function watch(
  context: Context,
  screen: Screen,
  given: string,
  options: WatchOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given);
    const session = await client.sessions.open(resource, { turns: options.turns });
    const interruption = new Interruption(context);
    const leave = watchConnection(client, screen, (reason) => interruption.stop(reason));
    const reader = new LineReader(context.stdin);
    // What is piped in comes before there is anything to answer.
    const early = reader.hold();
    const view = new SessionView({
      screen,
      session,
      turns: options.turns,
      isJson: options.json === true,
      scope: client.scope,
      reader,
    });
    try {
      // The host tells subscribers of the root that a session is removed: its mirror is lost then.
      await client.subscribe(ROOT_URI);
      await view.open();
      if (client.rights.scopeIn(resource) === 'observe')
        screen.note('read-only: this token cannot answer or change anything');
      const isTyped = context.stdin.isTTY === true;
      let isHeld = true;
      const stopReading = reader.onLine((line) => {
        if (line !== undefined) view.type(line, () => interruption.stop({ exitCode: EXIT.done }));
        // Ctrl-D leaves; the end of a pipe or of no input at all does not.
        else if (isTyped) interruption.stop({ exitCode: EXIT.done });
        else if (!isHeld) view.inputEnded();
      });
      // What was piped in before is done first.
      early.release();
      isHeld = false;
      if (reader.hasEnded && !isTyped) view.inputEnded();
      await untilOver(client, session, interruption);
      stopReading();
      await view.settled();
      const { reason } = interruption;
      if (reason?.message !== undefined) throw new CliError(reason.exitCode, reason.message);
      // Leaving `watch` is not a failure.
      return reason?.exitCode === EXIT.interrupted && !context.outputClosed.aborted
        ? EXIT.interrupted
        : EXIT.done;
    } finally {
      view.dispose();
      reader.close();
      leave();
      interruption.dispose();
    }
  });
}

/** Resolves when the command must stop. Rejects when the session is removed or the connection is closed for good. */
async function untilOver(client: AhpClient, session: SessionHandle, { signal }: Interruption): Promise<void> {
  const { mirror } = session;
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      const { status } = client;
      if (status.state === 'closed' || status.state === 'replaced') {
        reject(new CliError(EXIT.cannotConnect, `lost the connection to the host: ${status.error.message}`));
      } else if (mirror.isLost) {
        const cause = new ChannelLost(mirror.uri);
        reject(new CliError(EXIT.error, 'the session was removed', { cause }));
      }
    };
    mirror.onChange(look);
    client.onStatus(look);
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
    look();
  });
}
