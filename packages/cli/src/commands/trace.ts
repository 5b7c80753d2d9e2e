import { openTelemetry } from '@agenthost/client';
import { chooseTurn } from '../changes/choose-turn.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import { findChat, findSession } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import type { Screen } from '../render/screen.ts';
import { waterfallLines } from '../telemetry/waterfall-lines.ts';

/** Options of `trace`, as parsed. */
export interface TraceOptions extends HostOptions {
  readonly chat?: string;
  readonly json?: boolean;
}

/** Turns that are loaded first, to find one by the beginning of its id. */
const LOADED_TURNS = 50;

/** `trace`: the spans of a turn as a waterfall. */
export function showTrace(
  context: Context,
  screen: Screen,
  given: { readonly session: string; readonly turn: string },
  options: TraceOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, async ({ client }) => {
    const { resource } = await findSession(client, given.session);
    const session = await client.sessions.open(resource, { turns: LOADED_TURNS });
    try {
      const uri =
        options.chat === undefined
          ? session.chat.mirror.uri
          : findChat(session.mirror.state, options.chat, session.uri).resource;
      const chat =
        uri === session.chat.mirror.uri ? session.chat : await session.openChat(uri, { turns: LOADED_TURNS });
      try {
        const turnId = await chooseTurn(chat, given.turn);
        screen.status('reading the trace');
        const telemetry = await openTelemetry(client);
        const waterfall = await telemetry.waterfallOfTurn(uri, turnId);
        screen.status(undefined);
        if (waterfall === undefined)
          throw new CliError(EXIT.error, 'the host has no trace of this turn: its times are unknown');
        if (options.json === true) for (const { span } of waterfall.rows) screen.json(span);
        else for (const line of waterfallLines(waterfall, screen)) screen.line(line);
      } finally {
        if (chat !== session.chat) chat.dispose();
      }
    } finally {
      screen.status(undefined);
      session.dispose();
    }
    return EXIT.done;
  });
}
