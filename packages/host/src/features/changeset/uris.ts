import { type Changeset, channelUri } from '@agenthost/protocol';

/** The session, chat, turns or working tree whose changes a changeset shows. */
export type ChangesetSubject =
  | { readonly kind: 'session' | 'uncommitted' | 'branch'; readonly session: string }
  | { readonly kind: 'turn'; readonly session: string; readonly turnId: string }
  | { readonly kind: 'compare'; readonly session: string; readonly from: string; readonly to: string }
  | { readonly kind: 'chat'; readonly chat: string }
  | { readonly kind: 'chatTurn'; readonly chat: string; readonly turnId: string };

/** The subject of a changeset of one turn. */
export type TurnSubject = Extract<ChangesetSubject, { readonly kind: 'turn' | 'chatTurn' }>;

/** The subject of the URI of a changeset. `undefined` for any other URI. */
export function subjectOf(uri: string): ChangesetSubject | undefined {
  const prefix = channelUri('changeset', '');
  if (!uri.startsWith(prefix)) return undefined;
  const parts = uri.slice(prefix.length).split('/').map(decoded);
  const [kind, owner, first, second, ...rest] = parts;
  if (owner === undefined || owner === '' || rest.length > 0 || parts.includes(undefined)) return undefined;
  if (first === undefined) {
    if (kind === 'session' || kind === 'uncommitted' || kind === 'branch') return { kind, session: owner };
    return kind === 'chat' ? { kind, chat: owner } : undefined;
  }
  if (second !== undefined)
    return kind === 'compare' ? { kind, session: owner, from: first, to: second } : undefined;
  if (kind === 'turn') return { kind, session: owner, turnId: first };
  return kind === 'chat-turn' ? { kind: 'chatTurn', chat: owner, turnId: first } : undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not a URI of this host.
    return undefined;
  }
}

const template = (kind: string, owner: string, variables = ''): string =>
  channelUri('changeset', `${kind}/${encodeURIComponent(owner)}${variables}`);

const REVIEW = { capabilities: { review: {} } } as const;

/** The catalogue of a session [CS-1]. `isGit`: whether its primary folder is in a git repository. */
export function sessionCatalogue(session: string, isGit: boolean): Changeset[] {
  const inGit: Changeset[] = [
    {
      label: 'Uncommitted changes',
      uriTemplate: template('uncommitted', session),
      changeKind: 'uncommitted',
      description: 'Everything that differs from the last commit',
    },
    {
      label: 'Changes of the branch',
      uriTemplate: template('branch', session),
      changeKind: 'branch',
      description: 'Everything that differs from the default branch',
    },
  ];
  return [
    {
      label: 'Changes of the session',
      uriTemplate: template('session', session),
      changeKind: 'session',
      description: 'Everything that turns of this session have changed',
      ...REVIEW,
    },
    ...(isGit ? inGit : []),
    {
      label: 'Changes of a turn',
      uriTemplate: template('turn', session, '/{turnId}'),
      changeKind: 'turn',
      ...REVIEW,
    },
    {
      label: 'Changes between two turns',
      uriTemplate: template('compare', session, '/{originalTurnId}/{modifiedTurnId}'),
      changeKind: 'compare-turns',
    },
  ];
}

/** The catalogue of a chat [CHAT-43]. */
export const chatCatalogue = (chat: string): Changeset[] => [
  {
    label: 'Changes of the chat',
    uriTemplate: template('chat', chat),
    changeKind: 'session',
    description: 'Everything that turns of this chat have changed',
    ...REVIEW,
  },
  {
    label: 'Changes of a turn',
    uriTemplate: template('chat-turn', chat, '/{turnId}'),
    changeKind: 'turn',
    ...REVIEW,
  },
];

/** Whether clients may mark the files of a changeset as reviewed [CS-22]. */
export const isReviewable = ({ kind }: ChangesetSubject): boolean =>
  kind === 'session' || kind === 'turn' || kind === 'chat' || kind === 'chatTurn';
