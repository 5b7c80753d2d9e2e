/** A limit for texts. */
export interface TextLimit {
  /** Length in UTF-16 code units. */
  readonly max: number;
  /** Content of the fields, for people. */
  readonly what: string;
  /**
   * Names of fields, or `parent.name` where the name alone is ambiguous. Texts in a list or map use the name
   * of the list or map.
   */
  readonly fields: readonly string[];
  /** True: texts of an agent are not cut, because they would name something else. */
  readonly isName?: true;
}

/** A limit for a list, a map or a whole message. */
export interface CountLimit {
  readonly max: number;
  readonly what: string;
}

/** A limit for the members of a list. */
export interface ListLimit extends CountLimit {
  /** True: members of an agent's list beyond the limit are dropped. */
  readonly isCut?: true;
}

const KI = 1_024;
const MI = 1_024 * KI;

/** The longest text of each kind that clients may send and that agents' texts are cut to. */
export const TEXT_LIMITS = {
  id: {
    max: 512,
    what: 'An id, a kind, a version or a language',
    isName: true,
    fields: [
      'id',
      'turnId',
      'toolCallId',
      'partId',
      'responsePartId',
      'endTurn',
      'requestId',
      'questionId',
      'commandId',
      'fileId',
      'entryId',
      'annotationId',
      'annotationIds',
      'operationId',
      'queuedMessageId',
      'triggerId',
      'instanceId',
      'extensionId',
      'canvasId',
      'timeZone',
      'expression',
      'x-from',
      'selectedOptionId',
      'customizationId',
      'order',
      'model',
      'provider',
      'progressToken',
      'property',
      'locale',
      'errorType',
      'code',
      'kind',
      'type',
      'changeKind',
      'contentType',
      'format',
      'icon',
      'group',
      'sizes',
      'nonce',
      'etag',
      'x-etag',
      'ifMatch',
      'version',
      'protocolVersion',
      'displayKind',
      'before',
      'required',
      'requiredScopes',
      'scopes_supported',
      'bearer_methods_supported',
      'resource_signing_alg_values_supported',
      'scopes',
      'completionTriggerCharacters',
      'terminalCommandPrefix',
      'p256dh',
      'auth',
      'publicKey',
      'userCode',
      'level',
      'plugin',
      'package',
    ],
  },
  client: {
    max: 256,
    what: 'The id or the epoch of a client',
    isName: true,
    fields: ['clientId', 'x-epoch', 'grantedBy'],
  },
  version: {
    max: MI,
    what: 'A version that a client offers; the host ignores an invalid version',
    isName: true,
    fields: ['protocolVersions'],
  },
  time: {
    max: 64,
    what: 'A point in time',
    isName: true,
    fields: [
      'createdAt',
      'modifiedAt',
      'startedAt',
      'completedAt',
      'scheduledFor',
      'nextRunAt',
      'date',
      'lastUsedAt',
      'expiresAt',
      'mtime',
      'ctime',
      'connectedAt',
      'lastSentAt',
      'at',
      'from',
      'to',
    ],
  },
  name: {
    max: 512,
    what: 'A name, a title, a label or an activity',
    fields: [
      'person',
      'x-person',
      'title',
      'name',
      'displayName',
      'label',
      'activity',
      'agentName',
      'extensionName',
      'status',
      'toolName',
      'tool',
      'resource_name',
      'enumLabels',
      'tools',
      'device',
      'x-device',
      'clientName',
    ],
  },
  tokenName: {
    max: 100,
    what: 'The name of an access token or of a person that an admin sets',
    fields: ['x-createToken.name', 'x-createToken.person', 'x-setSessionRole.person'],
  },
  uri: {
    max: 16 * KI,
    what: 'A URI or a path',
    fields: [
      'uri',
      'resource',
      'channel',
      'chat',
      'x-chat',
      'session',
      'source',
      'destination',
      'url',
      'cwd',
      'file',
      'dataDir',
      'workingDirectory',
      'workingDirectories',
      'directory',
      'replacement',
      'defaultDirectory',
      'defaultChat',
      'chats',
      'after',
      'terminal',
      'automation',
      'run',
      'primarySession',
      'sessions',
      'workingDirectories',
      'uriTemplate',
      'initialSubscriptions',
      'subscriptions',
      'authorization_servers',
      'jwks_uri',
      'resource_documentation',
      'resource_policy_uri',
      'resource_tos_uri',
      'globs',
      'items',
      'missing',
      'x-uri',
      'folder',
      'files',
      'root',
      'logs',
      'traces',
      'metrics',
      'showing',
      'mutedSessions',
      'checkout',
      'authorizationServer',
      'redirectUri',
      'iss',
    ],
  },
  revision: {
    max: 1_024,
    what: 'A branch or another revision of git',
    isName: true,
    fields: ['base', 'baseCommit', 'branch'],
  },
  program: {
    max: 1_024,
    what: 'The name or the address of a program that listens on a port',
    fields: ['process', 'address'],
  },
  endpoint: { max: 4 * KI, what: 'The URL of a push service', isName: true, fields: ['endpoint'] },
  icon: { max: 64 * KI, what: 'An icon, often a `data:` URI', fields: ['src'] },
  query: { max: 1_000, what: 'A search query', fields: ['query'] },
  cursor: {
    max: 64 * KI,
    what: 'A cursor from the host',
    isName: true,
    fields: ['cursor', 'nextCursor', 'turnsNextCursor', 'runsNextCursor'],
  },
  sentence: {
    max: 32 * KI,
    what: 'A description, a question or a message of an error',
    fields: [
      'description',
      'confirmation',
      'message',
      'intention',
      'invocationMessage',
      'pastTenseMessage',
      'confirmationTitle',
      'reason',
      'reasonMessage',
      'rejectionReason',
      'enumDescriptions',
      'markdown',
      'snippet',
      'stack',
      'defaultValue',
      'insertText',
      'input',
      'secret',
      'commandLine',
      'runs',
      'command',
      'installCommand',
      'signInCommand',
      'problem',
      'x-ended',
      'x-preview',
      'linesBefore',
      'linesAfter',
      'holds',
      'note',
      'unavailable',
    ],
  },
  answer: {
    max: 64 * KI,
    what: 'An answer to a question, or a value of an operation',
    fields: ['value', 'freeformValues', 'x-input'],
  },
  setting: {
    max: 64 * KI,
    what: 'A value of a configuration, of metadata or of `_meta`',
    fields: ['config', 'values', 'metadata', '_meta', 'default', 'enum'],
  },
  token: {
    max: 64 * KI,
    what: 'A token, a key or a code of a sign-in',
    fields: ['token', 'clientSecret', 'apiKey', 'x-finishSignIn.code', 'x-finishMcpSignIn.code', 'state'],
  },
  environment: {
    max: 128 * KI,
    what: 'A variable or an argument of a program',
    fields: ['x-env', 'x-command'],
  },
  text: {
    max: MI,
    what: 'The text of a message or the input of a tool call',
    fields: [
      'text',
      'modelRepresentation',
      'quote',
      'toolInput',
      'x-beginning',
      'editedToolInput',
      'partialInput',
      'terminal/input.data',
      'error.message',
    ],
  },
  attachment: {
    max: 12 * MI,
    what: 'An embedded attachment, base64',
    isName: true,
    fields: ['attachments.data'],
  },
  output: {
    max: 16 * MI,
    what: 'The result of a tool call, the content of a file or the output of a terminal',
    fields: [
      'data',
      'content',
      'content.text',
      'content.value',
      'terminals.text',
      'output',
      'preview',
      'structuredContent',
    ],
  },
} as const satisfies Record<string, TextLimit>;

/** A name in {@link TEXT_LIMITS}. */
export type TextLimitName = keyof typeof TEXT_LIMITS;

/** For texts in fields that the table does not name, such as fields of a newer protocol. */
export const UNLISTED_TEXT: CountLimit = { max: 64 * KI, what: 'A text in a field that is not named here' };

/** For the keys of all maps. */
export const KEY_LENGTH: CountLimit = { max: 512, what: 'A key of a map' };

/** The greatest number of members of a list, by the name of its field. */
export const LIST_LIMITS = {
  attachments: { max: 100, what: 'Attachments of a message' },
  'x-annotations': { max: 1_000, what: 'Annotations that a message carries' },
  annotationIds: { max: 1_000, what: 'Annotations that an attachment names' },
  tools: { max: 128, what: 'Tools that a client offers in a session' },
  order: { max: 1_000, what: 'Ids in a new order of the queue' },
  questions: { max: 100, what: 'Questions of one input request', isCut: true },
  options: { max: 1_000, what: 'Options of one question', isCut: true },
  freeformValues: { max: 100, what: 'Free texts in one answer' },
  protocolVersions: { max: 100, what: 'Versions that a client offers' },
  // Each change copies the list. V8 copies longer lists (128 KiB) much more slowly, and a session is disposed
  // in one transaction.
  chats: { max: 16_000, what: 'Chats of a session' },
  showing: { max: 16, what: 'Channels that a client shows' },
  mutedSessions: { max: 1_000, what: 'Sessions that a device is not notified of' },
} as const satisfies Record<string, ListLimit>;

/** For lists that {@link LIST_LIMITS} does not name. */
export const UNLISTED_LIST: CountLimit = { max: 10_000, what: 'Members of any other list' };

/**
 * The greatest weight of a field, by its name: the characters of its texts and keys, and eight for each
 * value.
 */
export const TOTAL_LIMITS = {
  _meta: { max: 64 * KI, what: 'One `_meta`' },
  attachments: { max: 15 * MI, what: 'All attachments of a message, embedded ones included' },
  config: { max: 256 * KI, what: 'A configuration' },
  inputSchema: { max: 256 * KI, what: 'The input schema of a tool' },
  outputSchema: { max: 256 * KI, what: 'The output schema of a tool' },
  answers: { max: 256 * KI, what: 'The answers to one input request' },
  showing: { max: 64 * KI, what: 'The channels that a client shows' },
  mutedSessions: { max: 64 * KI, what: 'The sessions that a device is not notified of' },
  'x-env': { max: MI, what: 'The environment of a terminal' },
  'x-command': { max: MI, what: 'The command of a terminal' },
} as const satisfies Record<string, CountLimit>;

/**
 * The greatest weight of one action, or of the params of one request. Embedded attachments, results of tools
 * and contents of files do not count, because the host stores large ones outside of the state.
 */
export const MESSAGE_TOTAL: CountLimit = {
  max: 1.5 * MI,
  what: 'One action, or the parameters of one request',
};

/** Requests whose texts are cut instead of refused: their content may come from a host with other limits. */
export const CUT_REQUESTS: ReadonlySet<string> = new Set(['x-importSession', 'x-importTurns']);
