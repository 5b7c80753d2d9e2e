import type { SessionSearchHit } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import type { HostLink } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { hostParam } from '../board-session.ts';
import { exactTime, useRelativeTime } from '../use-relative-time.ts';
import { markedParts } from './marked-parts.ts';
import { hitsOf, useHostSearch } from './use-host-search.ts';

/** The hits of one host in messages and answers. Renders nothing without a query. */
export function HostHits({
  link,
  query,
  isOnlyHost,
}: {
  readonly link: HostLink;
  readonly query: string;
  readonly isOnlyHost: boolean;
}) {
  const { search, loadMore } = useHostSearch(link, query);
  if (search.state === 'idle') return undefined;
  const hits = hitsOf(search);
  const title = isOnlyHost ? text.board.inMessages : text.board.inMessagesOf(link.address.name);
  return (
    <section aria-label={visibleText(title)} className="border-t border-line py-2">
      <h2 className="flex h-7 items-center gap-2 px-4 text-xs font-medium text-muted">
        <SafeText>{title}</SafeText>
        {search.state === 'searching' && <Spinner label={text.board.searching} className="size-3.5" />}
      </h2>
      {search.state === 'failed' && (
        <p role="alert" className="px-4 py-1 text-sm text-danger">
          {text.board.searchFailed(search.reason)}
        </p>
      )}
      {search.state === 'found' && hits.length === 0 && (
        <p className="px-4 py-1 text-sm text-muted">{text.board.noHits}</p>
      )}
      <ul>
        {hits.map((hit, index) => (
          <li key={`${index} ${hit.session.resource} ${hit.turnId ?? ''}`}>
            <Hit link={link} hit={hit} />
          </li>
        ))}
      </ul>
      {search.state === 'found' && !search.isComplete && (
        <p className="px-4 py-1 text-xs text-muted">{text.board.searchIncomplete}</p>
      )}
      {search.state === 'found' && search.nextCursor !== undefined && (
        <Button size="small" look="ghost" className="mx-2" onClick={loadMore}>
          {text.board.searchMore}
        </Button>
      )}
    </section>
  );
}

function Hit({ link, hit }: { readonly link: HostLink; readonly hit: SessionSearchHit }) {
  const { session, snippet, matches, field } = hit;
  const time = useRelativeTime(session.modifiedAt);
  const title = session.title.trim() === '' ? text.board.untitled : session.title;
  return (
    <Link
      to="/s/$session"
      params={{ session: session.resource }}
      search={{ host: hostParam(link), chat: hit.chat, turn: hit.turnId }}
      className="mx-2 flex flex-col gap-0.5 rounded-lg px-2.5 py-1.5 text-sm hover:bg-hover touch:min-h-11"
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate" title={visibleText(title)}>
          <SafeText>{title}</SafeText>
        </span>
        <span className="text-xs text-faint">{text.board.fields[field]}</span>
        <time
          dateTime={session.modifiedAt}
          title={exactTime(session.modifiedAt)}
          className="text-xs text-faint"
        >
          {time}
        </time>
      </span>
      <span className="line-clamp-2 text-xs break-words text-muted" dir="auto">
        {markedParts(snippet, matches).map((part) =>
          part.isMatch ? (
            <mark key={part.at} className="rounded-sm bg-accent-soft text-text">
              <SafeText>{part.text}</SafeText>
            </mark>
          ) : (
            <SafeText key={part.at}>{part.text}</SafeText>
          ),
        )}
      </span>
    </Link>
  );
}
