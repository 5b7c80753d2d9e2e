import type { AnnotationsAction } from '../annotations/actions.ts';
import type { AnnotationsState } from '../annotations/state.ts';
import type { ChangesetAction } from '../changeset/actions.ts';
import type { ChangesetState } from '../changeset/state.ts';
import type { ChatAction } from '../chat/actions.ts';
import type { ChatState } from '../chat/state.ts';
import type { ResourceWatchAction } from '../resource-watch/actions.ts';
import type { ResourceWatchState } from '../resource-watch/state.ts';
import type { RootAction } from '../root/actions.ts';
import type { RootState } from '../root/state.ts';
import type { SessionAction } from '../session/actions.ts';
import type { SessionState } from '../session/state.ts';
import type { TerminalAction } from '../terminal/actions.ts';
import type { TerminalState } from '../terminal/state.ts';
import type { BaseParams, Count, URI } from './basics.ts';

/** `action`: an action that the host took, with its number; or one that it refused [ACT-1]. */
export interface ActionEnvelope extends BaseParams {
  action: StateAction;
  /** Rises over the whole host; gaps are normal [CONN-4]. */
  serverSeq: Count;
  /** Absent: the host's own action. */
  origin?: ActionOrigin;
  /** `code: sentence`. Given, the action was not reduced and only its sender gets this [ACT-3]. */
  rejectionReason?: string;
  /** Ms since the epoch, never falling: what reducers take as `now`. Foreign hosts send none [ACT-6]. */
  'x-time'?: number;
}

/** Who dispatched an action. */
export interface ActionOrigin {
  clientId: string;
  /** The dispatcher's own number for it. */
  clientSeq: Count;
}

/** `dispatchAction`: a client wants this to happen on `channel` [ACT-2]. */
export interface DispatchActionParams extends BaseParams {
  /** Rises with every dispatch of a connection, or of an epoch [ACT-5]. */
  clientSeq: Count;
  action: StateAction;
}

/** State of a channel at one moment [CONN-2]. */
export interface Snapshot {
  /** The channel. */
  resource: URI;
  state:
    | RootState
    | SessionState
    | TerminalState
    | ChangesetState
    | ResourceWatchState
    | AnnotationsState
    | ChatState;
  /** What is reflected already; the envelopes that follow have higher numbers. */
  fromSeq: Count;
}

/** Every action of the protocol. Unknown types on the wire pass through unreduced [ACT-6]. */
export type StateAction =
  | RootAction
  | SessionAction
  | ChatAction
  | ChangesetAction
  | AnnotationsAction
  | TerminalAction
  | ResourceWatchAction;
