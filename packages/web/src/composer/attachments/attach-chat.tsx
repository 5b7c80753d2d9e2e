import type { SessionHandle } from '@agenthost/client';
import type { MessageChatAttachment, URI } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/field.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';

interface OfferedChat {
  readonly uri: URI;
  readonly title: string;
}

/** Sessions that are offered. */
const MOST_SESSIONS = 200;

/** A dialog that attaches the transcript of another chat [CHAT-40]. */
export function AttachChat({
  link,
  session,
  chat,
  onAttach,
  onClose,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
  readonly chat: URI;
  readonly onAttach: (attachment: MessageChatAttachment) => void;
  readonly onClose: () => void;
}) {
  const own = useSelected(session.mirror, (state) => state.chats);
  const { sessions, problem } = useSessions(link, session.uri);
  const [query, setQuery] = useState('');
  const offered: readonly OfferedChat[] = [
    ...own.map(({ resource, title }) => ({ uri: resource, title })),
    ...(sessions ?? []),
  ].filter(({ uri, title }) => uri !== chat && title.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={text.composer.attachChat}
      description={text.composer.attachChatHint}
    >
      <TextInput
        type="search"
        aria-label={text.composer.searchChats}
        placeholder={text.composer.searchChats}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <ul className="mt-2 flex flex-col">
        {offered.map(({ uri, title }) => (
          <li key={uri}>
            <button
              type="button"
              className="flex min-h-9 w-full items-center rounded-lg px-2.5 text-start text-sm hover:bg-hover touch:min-h-11"
              onClick={() => {
                onAttach({ type: 'chat', label: titleOf(title), resource: uri });
                onClose();
              }}
            >
              <SafeText className="truncate">{titleOf(title)}</SafeText>
            </button>
          </li>
        ))}
      </ul>
      {problem !== undefined && (
        <p role="alert" className="py-2 text-sm text-danger">
          {problem}
        </p>
      )}
      {sessions === undefined && problem === undefined && <Spinner className="m-2" />}
      {sessions !== undefined && offered.length === 0 && (
        <p className="py-4 text-center text-sm text-muted">{text.composer.noChats}</p>
      )}
    </Dialog>
  );
}

const titleOf = (title: string): string => (title.trim() === '' ? text.composer.untitled : title);

/** The default chats of other sessions, newest first. */
function useSessions(
  link: HostLink,
  own: URI,
): { readonly sessions: readonly OfferedChat[] | undefined; readonly problem: string | undefined } {
  const [sessions, setSessions] = useState<readonly OfferedChat[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isStopped = false;
    const load = async (): Promise<void> => {
      const found: OfferedChat[] = [];
      for await (const { resource, title, defaultChat } of link.client?.sessions.list() ?? []) {
        if (resource !== own && defaultChat !== undefined) found.push({ uri: defaultChat, title });
        if (isStopped || found.length >= MOST_SESSIONS) break;
      }
      if (!isStopped) setSessions(found);
    };
    load().catch((error: unknown) => !isStopped && setProblem(messageOf(error)));
    return () => {
      isStopped = true;
    };
  }, [link, own]);
  return { sessions, problem };
}
