import type { TerminalInfo } from '@agenthost/protocol';
import type { TerminalHostData } from '../../sync/host-data.ts';
import type { Tx } from '../../sync/tx.ts';
import { changeListed, listed } from '../catalogue.ts';
import { shownTitle } from '../output/output-writer.ts';
import type { TerminalParts } from '../parts.ts';

/** The exit code of a terminal whose process is gone: 128 + SIGHUP. */
export const LOST_EXIT_CODE = 129;

/**
 * Ends terminals whose processes are gone, without loading their content [CONN-8]: writes the actions to the journal, and the next load
 * reduces them. None of the terminals may be in memory or loading.
 */
export function endUnloaded(
  tx: Tx,
  { sync, clock }: Pick<TerminalParts, 'sync' | 'clock'>,
  terminals: readonly { readonly uri: string; readonly hostData: TerminalHostData }[],
): void {
  const changes = new Map<string, Partial<TerminalInfo>>();
  const titles = new Map(listed(sync).map(({ resource, title }) => [resource, title]));
  for (const { uri, hostData } of terminals) {
    const { command, heldTitle, ...rest } = hostData;
    if (command !== undefined) {
      const durationMs = Math.max(0, clock.now() - command.startedAt);
      tx.emitUnloaded<'terminal'>(uri, {
        type: 'terminal/commandFinished',
        commandId: command.id,
        durationMs,
      });
    }
    const title = heldTitle === undefined ? undefined : shownTitle(heldTitle) || hostData.defaultTitle;
    const isNamed = title !== undefined && hostData.titledBy !== 'somebody' && title !== titles.get(uri);
    if (isNamed) tx.emitUnloaded<'terminal'>(uri, { type: 'terminal/titleChanged', title });
    tx.emitUnloaded<'terminal'>(uri, { type: 'terminal/exited', exitCode: LOST_EXIT_CODE });
    tx.write({ op: 'local', uri, local: JSON.stringify(rest) });
    tx.write({ op: 'markClosed', uri });
    changes.set(uri, {
      lifecycle: { status: 'exited', exitCode: LOST_EXIT_CODE },
      ...(isNamed ? { title } : {}),
    });
  }
  changeListed(tx, sync, changes);
}
