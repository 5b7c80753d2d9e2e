import type { SupportedVersion } from '../wire/versions.ts';

/**
 * The fields of a type that older versions do not have, and the fields whose types changed. Types that are
 * not listed never changed.
 */
export interface Shape {
  /** Field → version that introduced it. */
  readonly since?: Readonly<Record<string, SupportedVersion>>;
  /** Field → type of the field, or of the items of a list. */
  readonly holds?: Readonly<Record<string, ShapeName>>;
  /** For unions: the discriminating field, the types of members, and the versions that introduced members. */
  readonly union?: {
    readonly by: string;
    readonly of: Readonly<Record<string, ShapeName>>;
    readonly since?: Readonly<Record<string, SupportedVersion>>;
  };
}

/** A type that a version changed, or that contains one. */
export type ShapeName =
  | 'AgentCustomization'
  | 'AgentInfo'
  | 'ChangesetFile'
  | 'ChangesetState'
  | 'ChatState'
  | 'CompletionItem'
  | 'CompletionsResult'
  | 'ContentRef'
  | 'Customization'
  | 'FetchTurnsResult'
  | 'FileEdit'
  | 'FileEdits'
  | 'FileSide'
  | 'InitializeResult'
  | 'ListSessionsResult'
  | 'Message'
  | 'MessageAttachment'
  | 'PendingMessage'
  | 'ResponsePart'
  | 'RootState'
  | 'SessionActiveClient'
  | 'SessionInputRequest'
  | 'SessionState'
  | 'SimpleCustomization'
  | 'SkillCustomization'
  | 'StateAction'
  | 'ToolCallPart'
  | 'ToolCallState'
  | 'ToolResultContent'
  | 'Turn'
  | 'VersionedCustomization';

const HIDDEN = { enabled: '0.5.2', disableUserInvocation: '0.5.2' } as const;

/**
 * Every type sent by the host that has changed since the lowest supported version, or contains such a type
 * [CONN-9].
 */
export const SHAPES: Readonly<Record<ShapeName, Shape>> = {
  InitializeResult: { since: { serverInfo: '0.5.2', terminalCommandPrefix: '0.5.2' } },
  ListSessionsResult: { since: { nextCursor: '0.5.1' } },
  FetchTurnsResult: { holds: { turns: 'Turn' } },
  CompletionsResult: { holds: { items: 'CompletionItem' } },
  CompletionItem: { holds: { attachment: 'MessageAttachment' } },

  RootState: { holds: { agents: 'AgentInfo' } },
  AgentInfo: { since: { capabilities: '0.5.1' }, holds: { customizations: 'Customization' } },
  SessionState: {
    since: { inputNeeded: '0.5.1' },
    holds: {
      activeClients: 'SessionActiveClient',
      customizations: 'Customization',
      inputNeeded: 'SessionInputRequest',
    },
  },
  SessionActiveClient: { holds: { customizations: 'Customization' } },
  SessionInputRequest: { holds: { toolCall: 'ToolCallState' } },
  Customization: {
    union: {
      by: 'type',
      of: {
        agent: 'AgentCustomization',
        directory: 'SimpleCustomization',
        hook: 'VersionedCustomization',
        plugin: 'SimpleCustomization',
        prompt: 'VersionedCustomization',
        rule: 'VersionedCustomization',
        skill: 'SkillCustomization',
      },
    },
  },
  SimpleCustomization: { since: { version: '0.5.2' }, holds: { children: 'Customization' } },
  VersionedCustomization: { since: { enabled: '0.5.2' } },
  SkillCustomization: { since: HIDDEN },
  AgentCustomization: {
    since: { ...HIDDEN, model: '0.5.1', tools: '0.5.1', disableModelInvocation: '0.5.2' },
  },

  ChatState: {
    since: { turnsNextCursor: '0.5.1' },
    holds: {
      turns: 'Turn',
      activeTurn: 'Turn',
      steeringMessage: 'PendingMessage',
      queuedMessages: 'PendingMessage',
      draft: 'Message',
    },
  },
  Turn: { holds: { message: 'Message', responseParts: 'ResponsePart' } },
  PendingMessage: { holds: { message: 'Message' } },
  Message: { holds: { attachments: 'MessageAttachment' } },
  MessageAttachment: { union: { by: 'type', of: { resource: 'ContentRef' } } },
  ContentRef: { since: { nonce: '0.5.1' } },
  ResponsePart: {
    union: {
      by: 'kind',
      of: { contentRef: 'ContentRef', toolCall: 'ToolCallPart' },
      since: { inputRequest: '0.5.2' },
    },
  },
  ToolCallPart: { holds: { toolCall: 'ToolCallState' } },
  ToolCallState: {
    since: { intention: '0.5.1' },
    holds: { content: 'ToolResultContent', edits: 'FileEdits', userSuggestion: 'Message' },
  },
  ToolResultContent: {
    union: {
      by: 'type',
      of: { resource: 'ContentRef', fileEdit: 'FileEdit' },
      since: { terminalComplete: '0.5.2' },
    },
  },
  FileEdits: { holds: { items: 'FileEdit' } },
  FileEdit: { holds: { before: 'FileSide', after: 'FileSide' } },
  FileSide: { holds: { content: 'ContentRef' } },
  ChangesetState: { holds: { files: 'ChangesetFile' } },
  ChangesetFile: { since: { reviewed: '0.5.2' }, holds: { edit: 'FileEdit' } },

  // Fields with the same name have the same type in all actions.
  StateAction: {
    since: { intention: '0.5.1' },
    holds: {
      agents: 'AgentInfo',
      activeClient: 'SessionActiveClient',
      customizations: 'Customization',
      customization: 'Customization',
      request: 'SessionInputRequest',
      message: 'Message',
      draft: 'Message',
      userSuggestion: 'Message',
      part: 'ResponsePart',
      edits: 'FileEdits',
      content: 'ToolResultContent',
      result: 'ToolCallState',
      turns: 'Turn',
      file: 'ChangesetFile',
      files: 'ChangesetFile',
    },
  },
};
