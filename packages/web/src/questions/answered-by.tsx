import type { Author } from '@agenthost/protocol';
import type { HostLink } from '../live/host-link.ts';
import { clientName } from '../presence/client-name.ts';
import { text } from '../text/text.ts';

/** Tells which client answered a question. Renders nothing when the host does not report the client. */
export function AnsweredBy({
  link,
  author,
}: {
  readonly link: HostLink;
  readonly author: Author | undefined;
}) {
  if (author === undefined) return null;
  return (
    <span className="text-xs text-muted">
      {text.questions.answeredBy(clientName(author, link.client?.clientId))}
    </span>
  );
}
