/** The fields of a type that hold types a version changed, or the members of a union. */
export interface Shape {
  /** Field → shape of the field, or of the items of a list. */
  readonly holds?: Readonly<Record<string, ShapeName>>;
  /** For unions: the discriminating field, and the shapes of members. Other members hold nothing. */
  readonly union?: { readonly by: string; readonly of: Readonly<Record<string, ShapeName>> };
}

/** A type that some version changed, or that holds one [DIA-2]. */
export type ShapeName =
  | 'AgentInfo'
  | 'AgentCustomization'
  | 'Annotation'
  | 'AnnotationsState'
  | 'AutomationEntry'
  | 'AutomationState'
  | 'Changeset'
  | 'ChangesetFile'
  | 'ChangesetState'
  | 'ChatInputRequest'
  | 'ChatOrigin'
  | 'ChatState'
  | 'ChatSummary'
  | 'ClientPlugin'
  | 'CompletionItem'
  | 'ConfigPropertySchema'
  | 'ConfigSchema'
  | 'ConfigState'
  | 'ContentRef'
  | 'CreateChatParams'
  | 'CreateSessionParams'
  | 'CreateTerminalParams'
  | 'Customization'
  | 'DirectoryCustomization'
  | 'ExportedOpenTurn'
  | 'ExportedTurn'
  | 'FileEdit'
  | 'FileEdits'
  | 'FileSide'
  | 'HookCustomization'
  | 'ImportSessionParams'
  | 'ImportTurnsParams'
  | 'InitializeResult'
  | 'InputRequestPart'
  | 'ListSessionsResult'
  | 'McpServer'
  | 'McpServerState'
  | 'Message'
  | 'MessageAttachment'
  | 'MessageOrigin'
  | 'ModelSelection'
  | 'PendingMessage'
  | 'PluginCustomization'
  | 'PromptCustomization'
  | 'ResponsePart'
  | 'RootState'
  | 'RuleCustomization'
  | 'SearchHit'
  | 'SessionActiveClient'
  | 'SessionInputRequest'
  | 'SessionState'
  | 'SessionSummary'
  | 'SkillCustomization'
  | 'TerminalClaim'
  | 'TerminalInfo'
  | 'TerminalState'
  | 'ToolCall'
  | 'ToolCallPart'
  | 'ToolResultContent'
  | 'Turn';

/** Where each shape holds others. The fields of all versions stand together. */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  RootState: { holds: { agents: 'AgentInfo', terminals: 'TerminalInfo', config: 'ConfigState' } },
  AgentInfo: { holds: { customizations: 'Customization' } },
  ConfigState: { holds: { schema: 'ConfigSchema' } },
  ConfigSchema: {},
  ConfigPropertySchema: {},

  SessionSummary: { holds: { chats: 'ChatSummary' } },
  SessionState: {
    holds: {
      summary: 'SessionSummary',
      activeClients: 'SessionActiveClient',
      activeClient: 'SessionActiveClient',
      changesets: 'Changeset',
      chats: 'ChatSummary',
      config: 'ConfigState',
      customizations: 'Customization',
      inputNeeded: 'SessionInputRequest',
    },
  },
  SearchHit: { holds: { session: 'SessionSummary' } },
  SessionActiveClient: { holds: { customizations: 'ClientPlugin' } },
  ClientPlugin: { holds: { children: 'Customization' } },
  SessionInputRequest: { holds: { request: 'ChatInputRequest', toolCall: 'ToolCall' } },
  ChatInputRequest: {},

  Customization: {
    union: {
      by: 'type',
      of: {
        agent: 'AgentCustomization',
        directory: 'DirectoryCustomization',
        hook: 'HookCustomization',
        mcpServer: 'McpServer',
        plugin: 'PluginCustomization',
        prompt: 'PromptCustomization',
        rule: 'RuleCustomization',
        skill: 'SkillCustomization',
      },
    },
  },
  AgentCustomization: {},
  DirectoryCustomization: { holds: { children: 'Customization' } },
  HookCustomization: {},
  McpServer: { holds: { state: 'McpServerState' } },
  McpServerState: {},
  PluginCustomization: { holds: { children: 'Customization' } },
  PromptCustomization: {},
  RuleCustomization: {},
  SkillCustomization: {},

  ChatSummary: { holds: { origin: 'ChatOrigin' } },
  ChatOrigin: {},
  ChatState: {
    holds: {
      origin: 'ChatOrigin',
      turns: 'Turn',
      activeTurn: 'Turn',
      steeringMessage: 'PendingMessage',
      queuedMessages: 'PendingMessage',
      inputRequests: 'ChatInputRequest',
      draft: 'Message',
    },
  },
  Turn: { holds: { message: 'Message', responseParts: 'ResponsePart' } },
  PendingMessage: { holds: { message: 'Message' } },
  Message: { holds: { attachments: 'MessageAttachment', origin: 'MessageOrigin', model: 'ModelSelection' } },
  MessageOrigin: {},
  ModelSelection: {},
  MessageAttachment: { union: { by: 'type', of: { resource: 'ContentRef' } } },
  ContentRef: {},
  ResponsePart: {
    union: {
      by: 'kind',
      of: { contentRef: 'ContentRef', inputRequest: 'InputRequestPart', toolCall: 'ToolCallPart' },
    },
  },
  InputRequestPart: { holds: { request: 'ChatInputRequest' } },
  ToolCallPart: { holds: { toolCall: 'ToolCall' } },
  ToolCall: { holds: { content: 'ToolResultContent', edits: 'FileEdits', userSuggestion: 'Message' } },
  ToolResultContent: { union: { by: 'type', of: { resource: 'ContentRef', fileEdit: 'FileEdit' } } },
  FileEdits: { holds: { items: 'FileEdit' } },
  FileEdit: { holds: { before: 'FileSide', after: 'FileSide' } },
  FileSide: { holds: { content: 'ContentRef' } },

  TerminalState: { holds: { claim: 'TerminalClaim' } },
  TerminalInfo: { holds: { claim: 'TerminalClaim' } },
  TerminalClaim: {},

  Changeset: {},
  ChangesetState: { holds: { files: 'ChangesetFile' } },
  ChangesetFile: { holds: { edit: 'FileEdit' } },
  AnnotationsState: { holds: { annotations: 'Annotation' } },
  Annotation: {},
  AutomationState: { holds: { entries: 'AutomationEntry' } },
  AutomationEntry: {},

  InitializeResult: {},
  ListSessionsResult: { holds: { items: 'SessionSummary' } },
  CompletionItem: { holds: { attachment: 'MessageAttachment' } },
  CreateSessionParams: { holds: { activeClient: 'SessionActiveClient' } },
  CreateChatParams: { holds: { initialMessage: 'Message' } },
  ImportSessionParams: { holds: { session: 'SessionState', chats: 'ChatState' } },
  ImportTurnsParams: { holds: { turns: 'ExportedTurn', openTurn: 'ExportedOpenTurn' } },
  ExportedTurn: { holds: { turn: 'Turn' } },
  ExportedOpenTurn: { holds: { turn: 'Turn' } },
  CreateTerminalParams: { holds: { claim: 'TerminalClaim' } },
};

type Fields = Readonly<Record<string, ShapeName>>;

/** The shapes in the fields of each action. Actions that are not listed hold none. */
export const ACTION_FIELDS: Readonly<Record<string, Fields>> = {
  'root/agentsChanged': { agents: 'AgentInfo' },
  'root/terminalsChanged': { terminals: 'TerminalInfo' },
  'session/chatAdded': { summary: 'ChatSummary' },
  'session/chatUpdated': { changes: 'ChatSummary' },
  'session/activeClientSet': { activeClient: 'SessionActiveClient' },
  'session/activeClientChanged': { activeClient: 'SessionActiveClient' },
  'session/inputNeededSet': { request: 'SessionInputRequest' },
  'session/changesetsChanged': { changesets: 'Changeset' },
  'session/customizationsChanged': { customizations: 'Customization' },
  'session/customizationUpdated': { customization: 'Customization' },
  'session/mcpServerStateChanged': { state: 'McpServerState' },
  'chat/turnStarted': { message: 'Message' },
  'chat/responsePart': { part: 'ResponsePart' },
  'chat/toolCallReady': { edits: 'FileEdits' },
  'chat/toolCallConfirmed': { userSuggestion: 'Message' },
  'chat/toolCallComplete': { result: 'ToolCall' },
  'chat/toolCallContentChanged': { content: 'ToolResultContent' },
  'chat/turnsLoaded': { turns: 'Turn' },
  'chat/pendingMessageSet': { message: 'Message' },
  'chat/draftChanged': { draft: 'Message' },
  'chat/inputRequested': { request: 'ChatInputRequest' },
  'changeset/fileSet': { file: 'ChangesetFile' },
  'changeset/contentChanged': { files: 'ChangesetFile' },
  'annotations/set': { annotation: 'Annotation' },
  'terminal/claimed': { claim: 'TerminalClaim' },
};

/** The shape of a method's params, as a whole. */
export const PARAMS: Readonly<Record<string, ShapeName>> = {
  createSession: 'CreateSessionParams',
  createChat: 'CreateChatParams',
  createTerminal: 'CreateTerminalParams',
  'x-importSession': 'ImportSessionParams',
  'x-importTurns': 'ImportTurnsParams',
};

/** The shape of a method's result, as a whole. */
export const RESULTS: Readonly<Record<string, ShapeName>> = {
  initialize: 'InitializeResult',
  listSessions: 'ListSessionsResult',
  fetchTurns: 'ChatState',
};

/** The shapes in the fields of other results. */
export const RESULT_FIELDS: Readonly<Record<string, Fields>> = {
  completions: { items: 'CompletionItem' },
  'x-searchSessions': { items: 'SearchHit' },
  resolveSessionConfig: { schema: 'ConfigSchema' },
};

/** The shapes in the params of notifications from the host. */
export const NOTIFICATION_FIELDS: Readonly<Record<string, Fields>> = {
  'root/sessionAdded': { summary: 'SessionSummary' },
  'root/sessionSummaryChanged': { changes: 'SessionSummary' },
};

/** The shape of the state of each kind of channel. */
export const STATES: Readonly<Record<string, ShapeName>> = {
  root: 'RootState',
  session: 'SessionState',
  chat: 'ChatState',
  terminal: 'TerminalState',
  changeset: 'ChangesetState',
  annotations: 'AnnotationsState',
  automation: 'AutomationState',
};
