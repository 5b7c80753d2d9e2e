import type { AnnotationsAction } from '../annotations/actions.ts';
import type { AnnotationsState } from '../annotations/state.ts';
import type { AutomationAction } from '../automation/actions.ts';
import type { AutomationState } from '../automation/state.ts';
import type { AutomationRunAction } from '../automation-run/actions.ts';
import type { AutomationRunState } from '../automation-run/state.ts';
import type { CanvasAction } from '../canvas/actions.ts';
import type { CanvasState } from '../canvas/state.ts';
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
import type { Count, NotificationParams, URI } from './basics.ts';
import type { RefusalDetails } from './refusal.ts';

/** `action`: an accepted action with its number, or a rejected action [ACT-1]. */
export interface ActionEnvelope extends NotificationParams {
  action: StateAction;
  /** Increases over the whole host; gaps are normal [CONN-4]. */
  serverSeq: Count;
  /** Absent: an action of the host. */
  origin?: ActionOrigin;
  /** `code: sentence`. When present, the action was not applied and only its sender receives this [ACT-3]. */
  rejectionReason?: string;
  /** The reason as data; only beside `rejectionReason`. Foreign hosts send none. */
  'x-refusal'?: RefusalDetails;
  /**
   * Milliseconds since the epoch, never decreasing. Reducers of versions below 0.9 use it as `now` [ACT-6]; those of this
   * version use no clock [CHAT-21]. Other hosts may not send it.
   */
  'x-time'?: number;
}

/** The client that dispatched an action. */
export interface ActionOrigin {
  clientId: string;
  /** The client's number for the action. */
  clientSeq: Count;
}

/** `dispatchAction`: a client dispatches an action on `channel` [ACT-2]. */
export interface DispatchActionParams extends NotificationParams {
  /** Increases with every dispatch of a connection, or of an epoch [ACT-5]. */
  clientSeq: Count;
  action: StateAction;
}

/** The state of a channel at one moment [CONN-2]. */
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
    | ChatState
    | AutomationState
    | AutomationRunState
    | CanvasState;
  /** The state reflects envelopes up to this number; later envelopes have higher numbers. */
  fromSeq: Count;
}

/**
 * Every action of the protocol. Unknown types on the wire are passed on without a change of state [ACT-6].
 */
export type StateAction =
  | RootAction
  | SessionAction
  | ChatAction
  | ChangesetAction
  | AnnotationsAction
  | TerminalAction
  | ResourceWatchAction
  | AutomationAction
  | AutomationRunAction
  | CanvasAction;
