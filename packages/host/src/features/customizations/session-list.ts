import type { ChildCustomization, Customization, SessionState } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { Channel } from '../../sync/channel.ts';
import type { Tx } from '../../sync/tx.ts';
import type { ResolvedContainer } from './resolve.ts';

type Container = ResolvedContainer['customization'];

/**
 * Makes plugins and directories of a session's state the given ones, with as few actions as possible. MCP servers keep their state. A session that
 * has none and gets none stays as it is.
 */
export function publishList(tx: Tx, session: Channel<'session'>, wanted: readonly Container[]): void {
  const present = session.state.customizations ?? [];
  const servers = present.filter(({ type }) => type === 'mcpServer');
  const own = present.filter((each): each is Container => each.type !== 'mcpServer');
  const next = wanted.map((container) => withServerStates(container, session.state));
  const isSameOrder = own.length === next.length && next.every(({ id }, index) => own[index]?.id === id);
  if (!isSameOrder) {
    const customizations: Customization[] = [...next, ...servers];
    return tx.emit(session, { type: 'session/customizationsChanged', customizations });
  }
  for (const [index, customization] of next.entries())
    if (!sameJson(customization, own[index]))
      tx.emit(session, { type: 'session/customizationUpdated', customization });
}

/** What the host knows of MCP servers does not come from files. */
function withServerStates(container: Container, { customizations = [] }: SessionState): Container {
  const before = customizations.find(({ id }) => id === container.id);
  if (before === undefined || before.type === 'mcpServer') return container;
  const known = new Map(before.children?.map((child) => [child.id, child]));
  const children = container.children?.map((child): ChildCustomization => {
    const old = known.get(child.id);
    if (child.type !== 'mcpServer' || old?.type !== 'mcpServer') return child;
    const { state, channel, mcpApp } = old;
    return {
      ...child,
      state,
      ...(channel === undefined ? {} : { channel }),
      ...(mcpApp === undefined ? {} : { mcpApp }),
    };
  });
  return children === undefined ? container : { ...container, children };
}
