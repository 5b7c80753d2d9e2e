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

/** The kind of channel that a URI's type implies; every kind when the type is just `string`. */
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
              : U extends 'ahp-automations://'
                ? 'automation'
                : U extends `ahp-automation-run:/${string}`
                  ? 'automationRun'
                  : U extends `ahp-canvas:/${string}`
                    ? 'canvas'
                    : ChannelKind;

type AnyState = Snapshot['state'];

type Guards = { readonly [K in ChannelKind]: (state: AnyState) => state is ChannelState[K] };

/** Tells the kinds of state apart by one or two fields. The host validates states. */
const GUARDS: Guards = {
  root: (state) => 'agents' in state,
  session: (state) => 'lifecycle' in state && 'chats' in state,
  chat: (state) => 'turns' in state,
  terminal: (state) => 'content' in state && 'claim' in state,
  changeset: (state) => 'files' in state,
  // A session also has a member `annotations`, a summary.
  annotations: (state): state is AnnotationsState => 'annotations' in state && !('lifecycle' in state),
  resourceWatch: (state) => 'root' in state && 'recursive' in state,
  automation: (state) => 'entries' in state,
  automationRun: (state) => 'sessions' in state && 'automation' in state,
  canvas: (state) => 'canvasId' in state,
};

/** Returns the state of a snapshot. Throws `UnexpectedState` when it is of another kind. */
export function stateOfKind<K extends ChannelKind>(kind: K, { resource, state }: Snapshot): ChannelState[K] {
  const guard: (state: AnyState) => state is ChannelState[K] = GUARDS[kind];
  if (!guard(state)) throw new UnexpectedState(`${resource}: expected the state of a ${kind} channel`);
  return state;
}

/**
 * The kind of a channel: from its URI when the scheme is the protocol's, else from the fields of its
 * snapshot.
 */
export function kindOfSnapshot({ resource, state }: Snapshot): ChannelKind {
  const byUri = kindOfUri(resource);
  if (byUri !== undefined) return byUri;
  const byShape = CHANNEL_KINDS.find((kind) => GUARDS[kind](state));
  if (byShape === undefined) throw new UnexpectedState(`${resource}: the state is of an unknown kind`);
  return byShape;
}

function kindOfUri(uri: URI): ChannelKind | undefined {
  if (sessionOfAnnotations(uri) !== undefined) return 'annotations';
  const kind = kindOfScheme(uri);
  return kind === 'telemetry' || kind === 'mcp' ? undefined : kind;
}
