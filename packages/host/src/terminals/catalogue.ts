import type { TerminalInfo, TerminalState } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/** Every terminal of the host, as listed on the root channel [TERM-1]. */
export const listed = (sync: Sync): readonly TerminalInfo[] => sync.root.state.terminals ?? [];

/** Updates the list in the transaction that changes the title, the claim or the lifecycle of a terminal. */
export function keepTerminalList(sync: Sync): void {
  sync.observe('terminal', (tx, { channel, before, after }) => {
    const isSame =
      before.title === after.title && before.claim === after.claim && before.lifecycle === after.lifecycle;
    if (!isSame) listTerminal(tx, sync, channel);
  });
}

/** Adds a terminal to the list, or replaces its entry. */
export function listTerminal(tx: Tx, sync: Sync, { uri, state }: Channel<'terminal'>): void {
  const info = infoOf(uri, state);
  const present = listed(sync);
  const isListed = present.some(({ resource }) => resource === uri);
  replace(
    tx,
    sync,
    isListed ? present.map((each) => (each.resource === uri ? info : each)) : [...present, info],
  );
}

/** Replaces the entries of several terminals, by URI, in one action. */
export function changeListed(tx: Tx, sync: Sync, changes: ReadonlyMap<string, Partial<TerminalInfo>>): void {
  replace(
    tx,
    sync,
    listed(sync).map((info) => ({ ...info, ...changes.get(info.resource) })),
  );
}

/** Removes terminals from the list. */
export function unlistTerminals(tx: Tx, sync: Sync, uris: readonly string[]): void {
  const left = listed(sync).filter(({ resource }) => !uris.includes(resource));
  if (left.length < listed(sync).length) replace(tx, sync, left);
}

function replace(tx: Tx, sync: Sync, terminals: readonly TerminalInfo[]): void {
  tx.emit(sync.root, { type: 'root/terminalsChanged', terminals: [...terminals] });
}

const infoOf = (resource: string, { title, claim, lifecycle }: TerminalState): TerminalInfo => ({
  resource,
  title,
  claim,
  lifecycle,
});
