import type { ChangesetHandle, ChatHandle, SessionHandle } from '@agenthost/client';
import type { HostLink } from '../live/host-link.ts';
import { type Live, useOpened } from '../live/use-live.ts';
import type { ChangesKind } from '../workspace/panel-address.ts';
import type { TurnRange } from './changes-choice.ts';

interface Wanted {
  readonly session: SessionHandle;
  readonly chat: ChatHandle;
  readonly kind: ChangesKind;
  /** For `turn`. */
  readonly turnId: string | undefined;
  /** For `turns`. */
  readonly range?: TurnRange | undefined;
}

/** Opens a changeset of a session, of a chat, or of turns of the chat. */
export const useChangeset = (link: HostLink, wanted: Wanted): Live<ChangesetHandle> =>
  useOpened(link, `changeset ${keyOf(wanted)}`, () => ({
    open: () => openChangeset(wanted),
    close: (changeset) => changeset.dispose(),
  }));

const keyOf = ({ session, chat, kind, turnId = '', range }: Wanted): string => {
  const owner = kind === 'chat' || kind === 'turn' ? chat.mirror.uri : session.uri;
  const turns = kind === 'turn' ? turnId : kind === 'turns' ? `${range?.after} ${range?.to}` : '';
  return `${kind} ${owner} ${turns}`;
};

/** Opens it; see `useChangeset`. Rejects as `Changes.open`. */
export async function openChangeset({
  session,
  chat,
  kind,
  turnId,
  range,
}: Wanted): Promise<ChangesetHandle> {
  if (kind === 'chat') return (await chat.changes()).open();
  if (kind === 'turn' && turnId !== undefined) return (await chat.changes()).open({ turnId });
  const changes = await session.changes();
  if (kind === 'turns' && range !== undefined)
    return changes.open({ originalTurnId: range.after, modifiedTurnId: range.to });
  return changes.open(kind);
}
