import type { McpServerCustomization, McpServerState } from '../mcp/state.ts';
import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type {
  SessionCustomizationRemovedAction,
  SessionCustomizationToggledAction,
  SessionCustomizationUpdatedAction,
} from './actions.ts';
import type { ChildCustomization, Customization } from './customization.ts';
import type { CustomizationEnablement } from './customization-base.ts';
import type { SessionState } from './state.ts';

/** Replaces a top-level entry by id, including its children, or appends it [CUST-1]. */
export function upsertCustomization(
  state: SessionState,
  { customization }: SessionCustomizationUpdatedAction,
): SessionState {
  const list = state.customizations ?? [];
  return patch(state, { customizations: withItem(list, indexOfId(list, customization.id), customization) });
}

/** Removes the top-level entry or the child with the id [CUST-1]. */
export function removeCustomization(
  state: SessionState,
  { id }: SessionCustomizationRemovedAction,
): SessionState {
  const list = state.customizations ?? [];
  const index = indexOfId(list, id);
  if (index >= 0) return patch(state, { customizations: withoutItem(list, index) });
  return changeChildren(state, (children) => {
    const childIndex = indexOfId(children, id);
    return childIndex < 0 ? undefined : withoutItem(children, childIndex);
  });
}

/** Sets the decisions of the top-level entry or the child with the id [CUST-21]. */
export function toggleCustomization(
  state: SessionState,
  { id, enablement }: SessionCustomizationToggledAction,
): SessionState {
  const list = state.customizations ?? [];
  const index = indexOfId(list, id);
  const entry = list[index];
  if (entry) return patch(state, { customizations: withItem(list, index, decided(entry, enablement)) });
  return changeChildren(state, (children) => {
    const childIndex = indexOfId(children, id);
    const child = children[childIndex];
    return child && withItem(children, childIndex, decided(child, enablement));
  });
}

function decided<C extends Customization | ChildCustomization>(
  customization: C,
  enablement: CustomizationEnablement[],
): C;
function decided(
  customization: Customization | ChildCustomization,
  enablement: CustomizationEnablement[],
): Customization | ChildCustomization {
  switch (customization.type) {
    case 'plugin':
      return patch(customization, { enablement: enablement.length === 0 ? undefined : enablement });
    case 'mcpServer':
      return patch(customization, { enablement: enablement.length === 0 ? undefined : enablement });
    default:
      return { ...customization, enabled: enablement[0]?.enabled ?? true };
  }
}

/** Replaces state and channel of an MCP server at either level. An absent channel is removed [MCP-1]. */
export function setMcpServer(
  state: SessionState,
  id: string,
  serverState: McpServerState,
  channel?: string,
): SessionState {
  return changeMcpServer(state, id, (server) => patch(server, { state: serverState, channel }));
}

/** Stops a starting MCP server at either level from holding messages. Any other state stays [MCP-21]. */
export const backgroundMcpServer = (state: SessionState, id: string): SessionState =>
  changeMcpServer(state, id, (server) =>
    server.state.kind === 'starting' && server.state.blocking === true
      ? patch(server, { state: { ...server.state, blocking: false } })
      : server,
  );

function changeMcpServer(
  state: SessionState,
  id: string,
  change: (server: McpServerCustomization) => McpServerCustomization,
): SessionState {
  const list = state.customizations ?? [];
  for (const [index, entry] of list.entries()) {
    if (entry.type !== 'mcpServer' || entry.id !== id) continue;
    const server = change(entry);
    if (server === entry) return state;
    return patch(state, { customizations: withItem(list, index, server) });
  }
  return changeChildren(state, (children) => {
    for (const [index, child] of children.entries()) {
      if (child.type !== 'mcpServer' || child.id !== id) continue;
      const server = change(child);
      return server === child ? children : withItem(children, index, server);
    }
    return undefined;
  });
}

/** Applies `change` to the children of the first container for which it returns a list. */
function changeChildren(
  state: SessionState,
  change: (children: ChildCustomization[]) => ChildCustomization[] | undefined,
): SessionState {
  const list: Customization[] = state.customizations ?? [];
  for (const [index, entry] of list.entries()) {
    if (!('children' in entry) || !entry.children) continue;
    const children = change(entry.children);
    if (children === entry.children) return state;
    if (children) return patch(state, { customizations: withItem(list, index, { ...entry, children }) });
  }
  return state;
}
