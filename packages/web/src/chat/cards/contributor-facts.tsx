import type { ToolCallState } from '@agenthost/protocol';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { useChatScope } from '../chat-scope.tsx';

/** Which client runs the tool. */
export function ClientFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  const { session, link } = useChatScope();
  const clientId = toolCall.contributor?.kind === 'client' ? toolCall.contributor.clientId : undefined;
  const client = useSelected(session.mirror, ({ activeClients }) =>
    activeClients.find((each) => each.clientId === clientId),
  );
  const name =
    clientId !== undefined && clientId === link.client?.clientId
      ? text.chat.you
      : (client?.displayName ?? text.chat.unknownClient);
  return (
    <SafeText className="max-w-40 truncate">
      {toolCall.status === 'running' ? text.chat.waitsForClient(name) : text.chat.runsOn(name)}
    </SafeText>
  );
}

/** Which MCP server has the tool. */
export function McpFacts({ toolCall }: { readonly toolCall: ToolCallState }) {
  const { session } = useChatScope();
  const id = toolCall.contributor?.kind === 'mcp' ? toolCall.contributor.customizationId : undefined;
  const customization = useSelected(session.mirror, ({ customizations }) =>
    customizations?.find((each) => each.id === id),
  );
  return (
    <SafeText className="max-w-40 truncate">{text.chat.mcpServer(customization?.name ?? id ?? '')}</SafeText>
  );
}
