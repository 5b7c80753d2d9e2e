import { type AhpClient, type Automations, DispatchRejected, openAutomations } from '@agenthost/client';
import type { AutomationEntry } from '@agenthost/protocol';
import { rejectionSentence, requiresScope } from '../host-link/host-errors.ts';
import { beginsWith, isCalled, only } from '../input/ids.ts';
import { CliError, EXIT } from '../process/exit.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** Opens the automations of a host, lets `use` work, and closes them. Rejects with a `CliError` for what the host refuses. */
export async function withAutomations<T>(
  client: AhpClient,
  use: (automations: Automations) => Promise<T>,
): Promise<T> {
  // The host does not show them.
  if (client.scope === 'none')
    throw new CliError(EXIT.error, requiresScope('using automations', 'observe', 'none'));
  if (client.host?.automations === undefined)
    throw new CliError(EXIT.error, 'the host has no automations; update it, or use another host');
  const automations = await openAutomations(client);
  try {
    return await use(automations);
  } catch (error) {
    if (!(error instanceof DispatchRejected)) throw error;
    throw new CliError(EXIT.error, `the host refused: ${oneLine(rejectionSentence(error), 1_000)}`, {
      cause: error,
    });
  } finally {
    automations.dispose();
  }
}

/** Finds an automation by its URI, its id, its title in any case, or a unique beginning of its id. Throws a `CliError`. */
export function findAutomation({ items }: Automations, given: string): AutomationEntry {
  const exact = items.find((entry) => isCalled(entry, given));
  if (exact !== undefined) return exact;
  const titled = items.filter(({ definition }) => sameTitle(definition.title, given));
  return only(titled.length > 0 ? titled : items.filter((entry) => beginsWith(entry, given)), given, {
    many: 'automations',
    none: 'no automation',
    lists: commandLine('automations'),
  });
}

/** Whether a person who types one title means the other. */
const sameTitle = (title: string, given: string): boolean =>
  oneLine(title).toLowerCase() === oneLine(given).toLowerCase();
