import {
  type AnnotationsState,
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelState,
  kindOfScheme,
  type Snapshot,
  sessionOfAnnotations,
  type URI,
} from '@agenthost/protocol';
import { UnexpectedState } from '../errors.ts';

/** The kind of channel that a URI's type tells; all of them when it is any string. */
export type KindOf<U extends string> = U extends 'ahp-root://'
  ? 'root'
  : U extends `${string}/annotations`
    ? 'annotations'
    : U extends `ahp-session:/${string}`
      ? 'session'
      : U extends `ahp-chat:/${string}`
        ? 'chat'
        : U extends `ahp-terminal:/${string}`
          ? 'terminal'
          : U extends `ahp-changeset:/${string}`
            ? 'changeset'
            : U extends `ahp-resource-watch:/${string}`
              ? 'resourceWatch'
              : ChannelKind;

type AnyState = Snapshot['state'];

type Guards = { readonly [K in ChannelKind]: (state: AnyState) => state is ChannelState[K] };

/** One field that no other kind has, or two; schemas are the host's business, this only tells kinds apart. */
const GUARDS: Guards = {
  root: (state) => 'agents' in state,
  session: (state) => 'lifecycle' in state,
  chat: (state) => 'turns' in state,
  terminal: (state) => 'content' in state && 'claim' in state,
  changeset: (state) => 'files' in state,
  // A session has `annotations` of its own, a summary.
  annotations: (state): state is AnnotationsState => 'annotations' in state && !('lifecycle' in state),
  resourceWatch: (state) => 'root' in state && 'recursive' in state,
};

/** Checks that a snapshot is of the kind expected; throws `UnexpectedState`. */
export function stateOfKind<K extends ChannelKind>(kind: K, { resource, state }: Snapshot): ChannelState[K] {
  const guard: (state: AnyState) => state is ChannelState[K] = GUARDS[kind];
  if (!guard(state)) throw new UnexpectedState(`${resource} is no ${kind}`);
  return state;
}

/** The kind of a channel: by its URI where the scheme is the protocol's, else by what its snapshot looks like. */
export function kindOfSnapshot({ resource, state }: Snapshot): ChannelKind {
  const byUri = kindOfUri(resource);
  if (byUri !== undefined) return byUri;
  const byShape = CHANNEL_KINDS.find((kind) => GUARDS[kind](state));
  if (byShape === undefined) throw new UnexpectedState(`${resource} has a state of no known kind`);
  return byShape;
}

function kindOfUri(uri: URI): ChannelKind | undefined {
  if (sessionOfAnnotations(uri) !== undefined) return 'annotations';
  const kind = kindOfScheme(uri);
  return kind === 'telemetry' || kind === 'mcp' ? undefined : kind;
}
