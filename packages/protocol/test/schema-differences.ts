/** A deliberate difference between our schema and the protocol's. */
export interface Difference {
  /** `Definition` or `Definition.field`. */
  where: string;
  /** Mutants that only one of the two schemas rejects because of it. Absent when the fixtures show none. */
  mutants?: RegExp;
  reason: string;
}

const COUNT =
  'Ours takes whole numbers from 0 to 2^53 − 1 only: others are neither counted nor stored exactly.';
const CELLS = 'Ours takes what the window size of a pty can hold: whole numbers from 1 to 65,535.';
const EXTENSION = 'An extension of ours; who does not know it ignores it.';

/**
 * All differences. A difference that is not listed fails the agreement test, and so does a listed one that no
 * longer exists.
 */
export const DIFFERENCES: Difference[] = [
  {
    where: 'ChatToolCallApprovedAction.approved',
    mutants: /^\.approved$/,
    reason: 'The given definition lost the literal `true` and takes anything.',
  },
  {
    where: 'ChatToolCallDeniedAction.approved',
    mutants: /^\.approved$/,
    reason: 'The given definition lost the literal `false` and takes anything.',
  },
  {
    where: 'ToolDefinition.inputSchema',
    reason:
      'The given definition has strings for `properties` (an object) and `required` (a list) of a JSON Schema.',
  },
  {
    where: 'ToolDefinition.outputSchema',
    reason: 'As for `inputSchema`.',
  },
  {
    where: 'SessionSummaryChangedParams.changes',
    reason: 'Ours leaves out `resource`, `provider` and `createdAt`, which never change [ROOT-3].',
  },
  ...[
    'ActionEnvelope.serverSeq',
    'ActionOrigin.clientSeq',
    'AuthenticateParams.expiresIn',
    'CompletionsParams.offset',
    'DispatchActionParams.clientSeq',
    'InitializeResult.serverSeq',
    'ListSessionsParams.limit',
    'ReconnectParams.lastSeenServerSeq',
    'ResourceWriteParams.position',
    'Snapshot.fromSeq',
    'SubscribeView.turns',
  ].map((where) => ({ where, reason: COUNT })),
  { where: 'CreateTerminalParams.cols', reason: CELLS },
  { where: 'CreateTerminalParams.rows', reason: CELLS },
  { where: 'TerminalResizedAction.cols', mutants: /^\.cols$/, reason: CELLS },
  { where: 'TerminalResizedAction.rows', mutants: /^\.rows$/, reason: CELLS },
  { where: 'TerminalState.cols', mutants: /^\.cols$/, reason: CELLS },
  { where: 'TerminalState.rows', mutants: /^\.rows$/, reason: CELLS },
  { where: 'TerminalState.x-trimmed', reason: EXTENSION },
  { where: 'ToolInput', reason: EXTENSION },
  { where: 'ActionEnvelope.x-refusal', reason: EXTENSION },
  { where: 'PermissionDeniedErrorData.x-refusal', reason: EXTENSION },
  { where: 'ActionEnvelope.x-time', reason: EXTENSION },
  { where: 'CreateSessionParams.x-fork', reason: EXTENSION },
  { where: 'CreateSessionParams.x-unlisted', reason: EXTENSION },
  { where: 'SessionTitleChangedAction.x-chat', reason: EXTENSION },
  { where: 'MessageAnnotationsAttachment.x-annotations', reason: EXTENSION },
  { where: 'ChatTurnsLoadedAction.x-from', reason: EXTENSION },
  { where: 'SystemNotificationResponsePart.x-steering', reason: EXTENSION },
  { where: 'ConfirmationOption.x-lasting', reason: EXTENSION },
  { where: 'ChangesetOperation.x-inputs', reason: EXTENSION },
  { where: 'ChangesetState.x-leftOut', reason: EXTENSION },
  { where: 'ChangesetContentChangedAction.x-leftOut', reason: EXTENSION },
  { where: 'InvokeChangesetOperationParams.x-input', reason: EXTENSION },
  { where: 'CreateTerminalParams.x-command', reason: EXTENSION },
  { where: 'CreateTerminalParams.x-env', reason: EXTENSION },
  ...[
    'ChatInputCompletedAction.x-by',
    'ChatPendingMessageSetAction.x-by',
    'ChatToolCallApprovedAction.x-by',
    'ChatToolCallDeniedAction.x-by',
    'ChatToolCallResultConfirmedAction.x-by',
    'ChatTurnStartedAction.x-by',
    'ChatTurnCancelledAction.x-by',
    'ChatPendingMessageRemovedAction.x-by',
    'ActiveTurn.x-by',
    'Turn.x-by',
    'Turn.x-cancelledBy',
    'PendingMessage.x-by',
    'InputRequestResponsePart.x-answeredBy',
    'ToolCallRunningState.x-answeredBy',
    'ToolCallAuthRequiredState.x-answeredBy',
    'ToolCallPendingResultConfirmationState.x-answeredBy',
    'ToolCallCompletedState.x-answeredBy',
    'ToolCallCancelledState.x-answeredBy',
    'Annotation.x-anchor',
    'Annotation.x-outdated',
    'AnnotationEntry.x-by',
    'Implementation.x-device',
    'SessionSummary.x-asks',
    'SessionSummary.x-preview',
    'DirectoryEntry.x-isLink',
    'ResourceListResult.x-uri',
    'ResourceListResult.x-more',
    'ResourceReadParams.x-range',
    'ResourceReadResult.x-etag',
    'ResourceReadResult.x-size',
    'ResourceWriteResult.x-etag',
    'CreateResourceWatchParams.x-gitignore',
    'ResourceWatchState.x-gitignore',
    'ResourceWatchChangedAction.x-missed',
    'ResourceWatchChangedAction.x-ended',
  ].map((where) => ({ where, reason: EXTENSION })),
  { where: 'InitializeParams.x-epoch', reason: EXTENSION },
  { where: 'InitializeResult.x-person', reason: EXTENSION },
  { where: 'InitializeResult.x-roles', reason: EXTENSION },
  { where: 'InitializeResult.x-scope', reason: EXTENSION },
  { where: 'ReconnectParams.x-epoch', reason: EXTENSION },
  { where: 'FetchTurnsParams.before', reason: 'Asks for a page in the answer [CHAT-15].' },
  { where: 'FetchTurnsParams.limit', reason: 'Asks for a page in the answer [CHAT-15].' },
  { where: 'FetchTurnsResult.turns', reason: 'The page that was asked for [CHAT-15].' },
  { where: 'FetchTurnsResult.hasMore', reason: 'Tells whether older turns follow the page [CHAT-15].' },
];
