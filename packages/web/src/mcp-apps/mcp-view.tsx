import type { Customization, McpServerCustomization, ToolCallState } from '@agenthost/protocol';
import { useChatScope } from '../chat/chat-scope.tsx';
import { useSelected } from '../live/use-live.ts';
import { mcpText } from '../text/mcp-text.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { ViewFrame } from './view-frame.tsx';
import type { CallView } from './view-of.ts';

/** The view of a tool call, while its server is ready. */
export function McpView({ toolCall, view }: { readonly toolCall: ToolCallState; readonly view: CallView }) {
  const { session, link, chat } = useChatScope();
  const server = useSelected(session.mirror, ({ customizations }) => findServer(customizations, view.server));
  const { client } = link;
  const name = server?.name ?? view.server;
  if (client === undefined || server?.channel === undefined || server.mcpApp === undefined)
    return (
      <p className="px-3 py-2 text-sm text-muted">
        <SafeText>{mcpText.viewClosed(name)}</SafeText>
      </p>
    );
  return (
    <ViewFrame
      key={`${server.channel} ${view.uri}`}
      client={client}
      channel={server.channel}
      capabilities={server.mcpApp.capabilities}
      server={name}
      uri={view.uri}
      chat={chat}
      toolCall={toolCall}
    />
  );
}

/** A server of the session, or of one of its plugins. */
function findServer(
  customizations: readonly Customization[] | undefined,
  id: string,
): McpServerCustomization | undefined {
  for (const each of customizations ?? []) {
    if (each.type === 'mcpServer') {
      if (each.id === id) return each;
      continue;
    }
    const child = each.children?.find((one) => one.id === id);
    if (child?.type === 'mcpServer') return child;
  }
  return undefined;
}
