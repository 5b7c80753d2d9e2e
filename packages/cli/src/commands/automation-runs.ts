import type { AutomationRunHandle, Automations } from '@agenthost/client';
import { type AutomationRunSummary, isRunOver } from '@agenthost/protocol';
import { RUN_COLUMNS, runLine } from '../automations/lines.ts';
import { findAutomation, withAutomations } from '../automations/open-automations.ts';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import { hostOptionText } from '../host-link/find-host.ts';
import { watchConnection } from '../host-link/host-watch.ts';
import { beginsWith, isCalled, only, shortId } from '../input/ids.ts';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, type ExitCode } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';
import type { AutomationsOptions } from './automations.ts';

/** Options of `automations run`, as parsed. */
export interface RunAutomationOptions extends AutomationsOptions {
  readonly wait?: boolean;
}

/** Options of `automations runs`, as parsed. */
export interface AutomationRunsOptions extends AutomationsOptions {
  readonly limit: number;
}

/** `automations run`: starts a run, and waits for its session, or with `--wait` for its end. */
export function runAutomation(
  context: Context,
  screen: Screen,
  given: string,
  options: RunAutomationOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const { resource } = findAutomation(automations, given);
      const run = await automations.openRun(await automations.run(resource));
      const lost = Promise.withResolvers<never>();
      // Without a wait nobody looks at it.
      lost.promise.catch(() => undefined);
      const leave = watchConnection(client, screen, ({ exitCode, message }) =>
        lost.reject(new CliError(exitCode, message ?? 'the connection was lost')),
      );
      try {
        screen.status('starting');
        await Promise.race([started(run), lost.promise]);
        screen.status(undefined);
        const [session] = run.state.sessions;
        const line = commandLine(`watch ${shortId(session ?? '')}${hostOptionText(options)}`);
        if (options.json !== true && session !== undefined)
          screen.note(
            `run ${shortId(run.uri)} works in the session ${shortId(session)}; \`${line}\` shows it`,
          );
        if (options.wait === true) {
          screen.status('running');
          await Promise.race([run.ended(), lost.promise]);
          screen.status(undefined);
        }
        return tellEnd(screen, options, run);
      } finally {
        leave();
        run.dispose();
      }
    }),
  );
}

/** Resolves when the run has a session or has ended. */
function started({ mirror }: AutomationRunHandle): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (mirror.state.lifecycle.status === 'pending' && !mirror.isLost) return;
      stop();
      resolve();
    };
    const stop = mirror.onChange(look);
    look();
  });
}

function tellEnd(
  screen: Screen,
  { json = false }: AutomationsOptions,
  { state }: AutomationRunHandle,
): ExitCode {
  const { lifecycle } = state;
  if (json) screen.json(state);
  else if (lifecycle.status === 'failed')
    throw new CliError(EXIT.error, `the run failed: ${oneLine(lifecycle.error.message, 1_000)}`);
  else screen.line(lifecycle.status);
  return lifecycle.status === 'failed' || lifecycle.status === 'cancelled' ? EXIT.error : EXIT.done;
}

/** `automations runs`: one line each, the newest first. */
export function listRuns(
  context: Context,
  screen: Screen,
  given: string,
  options: AutomationRunsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const { resource } = findAutomation(automations, given);
      const runs = (): readonly AutomationRunSummary[] => automations.find(resource)?.runs ?? [];
      while (runs().length < options.limit && (await automations.fetchOlderRuns(resource))) continue;
      const shown = runs().slice(0, options.limit);
      screen.list(shown, {
        ...options,
        none: 'the automation has not run yet',
        columns: RUN_COLUMNS,
        line: (run) => runLine(run, { now: Date.now(), home: context.home }),
      });
      return EXIT.done;
    }),
  );
}

/** `automations cancel`. */
export function cancelRuns(
  context: Context,
  screen: Screen,
  given: string,
  options: AutomationsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const chosen = runsToCancel(automations, given);
      if (chosen.length === 0 && options.json !== true) screen.note('the automation has no run in progress');
      for (const { resource } of chosen) {
        checkAccepted(await automations.cancel(resource), `the host did not cancel ${shortId(resource)}`);
        if (options.json === true) screen.json({ cancelled: resource });
        else screen.line(`cancelled ${shortId(resource)}`);
      }
      return EXIT.done;
    }),
  );
}

/** A run by its id, or else the runs of an automation that go on. A run that has ended is chosen too: the host says so. */
function runsToCancel(automations: Automations, given: string): readonly AutomationRunSummary[] {
  const runs = automations.items.flatMap((entry) => entry.runs);
  const exact = runs.find((run) => isCalled(run, given));
  if (exact !== undefined) return [exact];
  const begin = runs.filter((run) => beginsWith(run, given));
  if (begin.length > 0)
    return [only(begin, given, { many: 'runs', none: 'no run', lists: commandLine('automations runs') })];
  return findAutomation(automations, given).runs.filter((run) => !isRunOver(run));
}
