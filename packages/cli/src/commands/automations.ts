import {
  AUTOMATION_COLUMNS,
  automationFacts,
  automationLine,
  eventLines,
  nextText,
  stateText,
} from '../automations/lines.ts';
import { findAutomation, withAutomations } from '../automations/open-automations.ts';
import { checkAccepted } from '../host-link/accepted.ts';
import { withHost } from '../host-link/connect.ts';
import type { HostOptions } from '../host-link/find-host.ts';
import type { Context } from '../process/context.ts';
import { EXIT, type ExitCode } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { cutToCells, oneLine } from '../render/plain-text.ts';
import type { Screen } from '../render/screen.ts';

/** Options of `automations` and what is below it, as parsed. */
export interface AutomationsOptions extends HostOptions {
  readonly json?: boolean;
}

/** `automations`: one line each, the oldest first. */
export function listAutomations(
  context: Context,
  screen: Screen,
  options: AutomationsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async ({ items }) => {
      const facts = { now: Date.now(), home: context.home };
      screen.list(items, {
        ...options,
        none: `there are no automations; \`${commandLine('automations add --help')}\` shows how to add one`,
        columns: AUTOMATION_COLUMNS,
        line: (item) =>
          cutToCells(automationLine(item, facts), screen.windowColumns ?? Number.POSITIVE_INFINITY),
      });
      return EXIT.done;
    }),
  );
}

/** `automations events`: one line each, as `--on` takes them. */
export function listEvents(context: Context, screen: Screen, options: AutomationsOptions): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const types = await automations.eventTypes();
      if (options.json !== true && types.length === 0) screen.note('the host has no events');
      for (const type of types) {
        if (options.json === true) screen.json(type);
        else for (const line of eventLines(type)) screen.line(line);
      }
      return EXIT.done;
    }),
  );
}

/** `automations show`. */
export function showAutomation(
  context: Context,
  screen: Screen,
  given: string,
  options: AutomationsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const entry = findAutomation(automations, given);
      if (options.json === true) screen.json(entry);
      else
        for (const line of automationFacts(entry, { now: Date.now(), home: context.home })) screen.line(line);
      return EXIT.done;
    }),
  );
}

/** `automations enable`, `automations disable` and `automations remove`. */
export function switchAutomation(
  context: Context,
  screen: Screen,
  { given, does }: { readonly given: string; readonly does: 'enable' | 'disable' | 'remove' },
  options: AutomationsOptions,
): Promise<ExitCode> {
  return withHost(context, screen, options, ({ client }) =>
    withAutomations(client, async (automations) => {
      const { resource, definition } = findAutomation(automations, given);
      const title = oneLine(definition.title);
      if (does === 'remove') {
        checkAccepted(await automations.remove(resource), 'the host did not remove it');
        if (options.json === true) screen.json({ removed: resource });
        else screen.line(`removed ${title}`);
        return EXIT.done;
      }
      const entry = await automations.setEnabled(resource, does === 'enable');
      if (options.json === true) screen.json(entry);
      else screen.line(`${title}: ${stateText(entry)}; ${nextText(entry, Date.now())}`);
      // A condition that is met already disables it at once.
      return entry.definition.enabled === (does === 'enable') ? EXIT.done : EXIT.error;
    }),
  );
}
