import { type AhpClient, openMcpServers, type SessionHandle } from '@agenthost/client';
import { useCallback, useEffect } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useHostAnswer } from '../settings/use-host-answer.ts';
import { mcpText } from '../text/mcp-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { SafeText } from '../ui/safe-text.tsx';
import { Spinner } from '../ui/states.tsx';
import { ServerRow } from './server-row.tsx';
import { useSignIn } from './use-sign-in.ts';

/** The MCP servers of a session: their states, tools and logs, and what can be done. */
export function McpDialog({
  link,
  session,
  isOpen,
  onClose,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={mcpText.title}
      description={mcpText.description}
      size="large"
    >
      <Servers link={link} session={session} />
    </Dialog>
  );
}

function Servers({ link, session }: { readonly link: HostLink; readonly session: SessionHandle }) {
  const { uri } = session;
  const ask = useCallback(
    async (client: AhpClient) => {
      const servers = await openMcpServers(client);
      return { servers, infos: await servers.list(uri) };
    },
    [uri],
  );
  const { value, problem, reload } = useHostAnswer(link, ask);
  const shown = useSelected(session.mirror, (state) => state.customizations);
  // States are live, tools and logs are not: they are read again with each change.
  useEffect(() => {
    if (shown !== undefined) void reload();
  }, [shown, reload]);
  const again = useCallback((): void => void reload(), [reload]);
  const signIn = useSignIn(link.client, uri, again);
  if (problem !== undefined)
    return (
      <p role="alert" className="text-sm text-danger">
        <SafeText>{mcpText.failed(problem)}</SafeText>
      </p>
    );
  if (value === undefined) return <Spinner />;
  if (value.infos.length === 0) return <p className="text-sm text-muted">{mcpText.none}</p>;
  return (
    <ul
      aria-label={mcpText.title}
      className="flex flex-col divide-y divide-line overflow-clip rounded-xl border border-line"
    >
      {value.infos.map((info) => (
        <ServerRow
          key={info.id}
          info={info}
          session={uri}
          servers={value.servers}
          signIn={signIn}
          reload={again}
        />
      ))}
    </ul>
  );
}
