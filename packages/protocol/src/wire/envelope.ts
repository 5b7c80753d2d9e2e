import type { AnnotationsAction } from '../annotations/actions.ts';
import type { AnnotationsState } from '../annotations/state.ts';
import type { ChangesetAction } from '../changeset/actions.ts';
import type { ChangesetState } from '../changeset/state.ts';
import type { ChatAction } from '../chat/actions.ts';
import type { ChatState } from '../chat/state.ts';
import type { URI } from '../common/types.ts';
import type { ResourceWatchAction } from '../resource-watch/actions.ts';
import type { ResourceWatchState } from '../resource-watch/state.ts';
import type { RootAction } from '../root/actions.ts';
import type { RootState } from '../root/state.ts';
import type { SessionAction } from '../session/actions.ts';
import type { SessionState } from '../session/state.ts';
import type { TerminalAction } from '../terminal/actions.ts';
import type { TerminalState } from '../terminal/state.ts';

export interface ActionEnvelope {
  channel: URI;
  action: StateAction;
  serverSeq: number;
  origin?: ActionOrigin;
  rejectionReason?: string;
  /** Ms since the epoch by the host's clock; what reducers take as `now`. Absent from foreign hosts [ACT-6]. */
  'x-time'?: number;
}

export interface ActionOrigin {
  clientId: string;
  clientSeq: number;
}

export interface DispatchActionParams {
  channel: URI;
  clientSeq: number;
  action: StateAction;
}

export interface Snapshot {
  resource: URI;
  state:
    | RootState
    | SessionState
    | TerminalState
    | ChangesetState
    | ResourceWatchState
    | AnnotationsState
    | ChatState;
  fromSeq: number;
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
