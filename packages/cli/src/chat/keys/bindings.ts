/** A context of key bindings. */
export type KeyContext =
  | 'sessions'
  | 'newSession'
  | 'composer'
  | 'popup'
  | 'approval'
  | 'reason'
  | 'editInput'
  | 'form'
  | 'queue'
  | 'browse'
  | 'changes'
  | 'diff'
  | 'changesText'
  | 'comments'
  | 'chats'
  | 'background'
  | 'customizations'
  | 'settings'
  | 'settingChoice'
  | 'settingText'
  | 'confirm'
  | 'help';

/** One thing that keys do. */
export interface Binding {
  /** As {@link KeyEvent} names them, or a character. */
  readonly keys: readonly string[];
  /** Label of the key, for display. */
  readonly label: string;
  /** A word or two for the hint line. */
  readonly hint: string;
  /** In help, in place of the hints of all that have this label here. */
  readonly help?: string;
  /** Name of the command in code. */
  readonly command: string;
  /** Shown in the hint line only while this holds; the key is dead otherwise. Absent: always. */
  readonly when?: string;
  /** Shown in help only, not in the hint line. */
  readonly isQuiet?: true;
}

type Command = string | (Pick<Binding, 'command'> & Partial<Binding>);

const b = (keys: string, label: string, hint: string, command: Command): Binding => ({
  keys: keys === ' ' ? [keys] : keys.split(' '),
  label,
  hint,
  ...(typeof command === 'string' ? { command } : command),
});

const SCROLL_KEYS: readonly Binding[] = [
  b('pageup', 'PgUp', 'back', { command: 'pageUp', isQuiet: true }),
  b('pagedown', 'PgDn', 'forward', { command: 'pageDown', isQuiet: true }),
];

/** Every key of every place, in the order of the hint line. */
export const BINDINGS: Readonly<Record<KeyContext, readonly Binding[]>> = {
  sessions: [
    b('enter', 'Enter', 'open', { command: 'open', when: 'hasSelection' }),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('pageup', 'PgUp', 'page up', { command: 'pageUp', isQuiet: true }),
    b('pagedown', 'PgDn', 'page down', { command: 'pageDown', isQuiet: true }),
    b('ctrl-n', 'Ctrl-N', 'new', 'new'),
    b('ctrl-a', 'Ctrl-A', 'archive', { command: 'archive', when: 'hasSelection' }),
    b('ctrl-x', 'Ctrl-X', 'remove', { command: 'remove', when: 'hasSelection' }),
    b('ctrl-t', 'Ctrl-T', 'show archived', 'toggleArchived'),
    b('esc', 'Esc', 'clear filter, or back to the chat', { command: 'back', isQuiet: true }),
    b('?', '?', 'help', { command: 'help', when: 'isEmpty' }),
    b('ctrl-c ctrl-d', 'Ctrl-C', 'leave', 'leave'),
  ],
  newSession: [
    b('enter', 'Enter', 'create', 'create'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('tab', 'Tab', 'agent / folder', 'next'),
    b('esc', 'Esc', 'back', 'back'),
    b('?', '?', 'help', { command: 'help', when: 'isChoosing' }),
    b('ctrl-c', 'Ctrl-C', 'leave', 'leave'),
  ],
  composer: [
    b('enter', 'Enter', 'save', {
      command: 'send',
      when: 'isChanging',
      help: 'send; during a turn: queue; while editing: save or resend',
    }),
    b('enter', 'Enter', 'resend', { command: 'send', when: 'isResending' }),
    b('enter', 'Enter', 'send', { command: 'send', when: 'isIdle' }),
    b('enter', 'Enter', 'queue', { command: 'send', when: 'isRunning' }),
    b('tab', 'Tab', 'answer', { command: 'focusAsk', when: 'isAsked' }),
    b('ctrl-s', 'Ctrl-S', 'steer', { command: 'steer', when: 'isRunning' }),
    b('ctrl-x', 'Ctrl-X', 'stop', { command: 'stop', when: 'canStop' }),
    b('ctrl-q', 'Ctrl-Q', 'queue', { command: 'focusQueue', when: 'hasQueue' }),
    b('ctrl-j alt-enter', 'Ctrl-J', 'new line', { command: 'newline', when: 'isTalk' }),
    b('ctrl-t', 'Ctrl-T', 'turns', {
      command: 'browse',
      help: 'turns; /find WORDS selects one; repeat for older ones',
    }),
    b('ctrl-o', 'Ctrl-O', 'chats', 'chats'),
    b('ctrl-r', 'Ctrl-R', 'changes', {
      command: 'changes',
      help: 'changed files; also by /changes',
    }),
    b('ctrl-b', 'Ctrl-B', 'background', {
      command: 'background',
      when: 'hasBackground',
      help: 'background work; also by /background',
    }),
    b('ctrl-p', 'Ctrl-P', 'plugins, MCP', {
      command: 'customizations',
      isQuiet: true,
      help: 'customizations and MCP servers; also by /customizations',
    }),
    b('ctrl-g', 'Ctrl-G', 'model, settings', {
      command: 'settings',
      help: 'model and settings; also by /model and /mode',
    }),
    b('esc', 'Esc', 'sessions', 'back'),
    b('?', '?', 'help', { command: 'help', when: 'isEmpty' }),
    b('ctrl-c', 'Ctrl-C', 'clear; on an empty message, twice leaves', {
      command: 'clearOrLeave',
      isQuiet: true,
    }),
    b('ctrl-d', 'Ctrl-D', 'leave', { command: 'leave', when: 'isEmpty', isQuiet: true }),
    b('up', '↑', 'line up, or previous message', { command: 'up', isQuiet: true }),
    b('down', '↓', 'line down, or next message', { command: 'down', isQuiet: true }),
    b('ctrl-y', 'Ctrl-Y', 'copy the last answer', { command: 'copyLast', isQuiet: true }),
    b('ctrl-end', 'Ctrl-End', 'to the newest', { command: 'toEnd', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  popup: [
    b('tab enter', 'Tab', 'take', 'take'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc', 'Esc', 'close', 'close'),
    b('ctrl-c', 'Ctrl-C', 'clear the message', { command: 'clearOrLeave', isQuiet: true }),
  ],
  approval: [
    b('enter', 'Enter', 'answer', 'answer'),
    b('up left', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down right', '↓', 'down', { command: 'down', isQuiet: true }),
    b('y', 'y', 'allow once', { command: 'allow', when: 'canAllowOnce' }),
    b('n', 'n', 'deny', 'deny'),
    b('r', 'r', 'deny with a reason', { command: 'reason', when: 'takesReason' }),
    b('e', 'e', 'edit input', { command: 'edit', when: 'isEditable' }),
    b('v', 'v', 'show all', 'expand'),
    b('t', 't', 'terminal', { command: 'terminal', when: 'hasTerminal' }),
    b('tab', 'Tab', 'next question', { command: 'next', when: 'hasMoreAsks' }),
    b('ctrl-x', 'Ctrl-X', 'stop', 'stop'),
    b('esc', 'Esc', 'to the message', 'toComposer'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  reason: [b('enter', 'Enter', 'deny', 'submit'), b('esc ctrl-c', 'Esc, Ctrl-C', 'back', 'cancel')],
  editInput: [
    b('ctrl-s', 'Ctrl-S', 'allow with this input', 'submit'),
    b('enter', 'Enter', 'new line', 'newline'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-c', 'Esc, Ctrl-C', 'back', 'cancel'),
  ],
  form: [
    b('enter', 'Enter', 'next, or send', 'enter'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('tab', 'Tab', 'next', 'nextQuestion'),
    b('shift-tab', 'Shift-Tab', 'previous question', { command: 'previousQuestion', isQuiet: true }),
    b(' ', 'Space', 'choose', { command: 'toggle', when: 'isChoice' }),
    b('ctrl-j alt-enter', 'Ctrl-J', 'new line', { command: 'newline', when: 'isText', isQuiet: true }),
    b('ctrl-k', 'Ctrl-K', 'skip', { command: 'skip', when: 'isOptional' }),
    b('ctrl-s', 'Ctrl-S', 'send', 'submit'),
    b('ctrl-x', 'Ctrl-X', 'decline', 'decline'),
    b('esc ctrl-c', 'Esc, Ctrl-C', 'to the message', 'toComposer'),
    b('?', '?', 'help', { command: 'help', when: 'isChoice' }),
    ...SCROLL_KEYS,
  ],
  queue: [
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('e enter', 'e', 'edit', 'edit'),
    b('x delete', 'x', 'remove', 'remove'),
    b('u', 'u', 'earlier', { command: 'earlier', when: 'isQueued' }),
    b('d', 'd', 'later', { command: 'later', when: 'isQueued' }),
    b('s', 's', 'steer', { command: 'steer', when: 'canSteer' }),
    b('r', 'r', 'release', { command: 'release', when: 'isIdle' }),
    b('esc ctrl-q', 'Esc', 'to the message', 'toComposer'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  browse: [
    b('up k', '↑↓', 'turns', 'up'),
    b('down j', '↓', 'next turn', { command: 'down', isQuiet: true }),
    b('enter', 'Enter', 'details', 'expand'),
    b('t', 't', 'terminal', { command: 'terminal', when: 'hasTerminal' }),
    b('w', 'w', 'worker', { command: 'worker', when: 'hasWorker' }),
    b('e', 'e', 'edit and resend', { command: 'resend', when: 'isTalk' }),
    b('x', 'x', 'remove later turns', { command: 'truncate', when: 'isTalk' }),
    b('o', 'o', 'restore the files', { command: 'restore', when: 'isTalk' }),
    b('f', 'f', 'fork into a chat', { command: 'fork', when: 'isTalk' }),
    b('c', 'c', 'copy answer', 'copy'),
    b('esc ctrl-t', 'Esc', 'to the message', 'toComposer'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  changes: [
    b('enter', 'Enter', 'diff', { command: 'open', when: 'hasFile' }),
    b('up k', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down j', '↓', 'down', { command: 'down', isQuiet: true }),
    b('v', 'v', 'session, last turn, uncommitted', { command: 'scope' }),
    b('r', 'r', 'revert file', { command: 'revert', when: 'canRevert' }),
    b('a', 'a', 'revert all', { command: 'revertAll', when: 'canRevert' }),
    b('u', 'u', 'undo the revert', { command: 'undo', when: 'canUndo' }),
    b('m', 'm', 'mark as reviewed', { command: 'review', when: 'canReview' }),
    b(' ', 'Space', 'stage', { command: 'stage', when: 'canStage' }),
    b('c', 'c', 'commit', { command: 'commit', when: 'canCommit' }),
    b('p', 'p', 'push', { command: 'push', when: 'canPush' }),
    b('l', 'l', 'comments', { command: 'comments', when: 'hasComments' }),
    b('s', 's', 'send comments', { command: 'send', when: 'hasComments' }),
    b('w', 'w', 'merge the worktree', { command: 'merge', when: 'canMerge' }),
    b('o', 'o', 'check out its branch', { command: 'checkOut', when: 'hasWorktree' }),
    b('esc ctrl-r', 'Esc', 'back', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  diff: [
    b('up k', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down j', '↓', 'down', { command: 'down', isQuiet: true }),
    b('n', 'n', 'next hunk', 'nextHunk'),
    b('b', 'b', 'hunk before', { command: 'previousHunk', isQuiet: true }),
    b('c', 'c', 'comment', { command: 'comment', when: 'canComment' }),
    b('s', 's', 'send comments', { command: 'send', when: 'hasComments' }),
    b('r', 'r', 'revert hunk', { command: 'revert', when: 'canRevertHunk' }),
    b('f', 'f', 'revert file', { command: 'revertFile', when: 'canRevert' }),
    b('u', 'u', 'undo the revert', { command: 'undo', when: 'canUndo' }),
    b('m', 'm', 'mark as reviewed', { command: 'review', when: 'canReview' }),
    b('esc', 'Esc', 'files', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  changesText: [
    b('ctrl-s', 'Ctrl-S', 'save', 'save'),
    b('enter ctrl-j alt-enter', 'Enter', 'new line', 'newline'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-c', 'Esc, Ctrl-C', 'back', 'back'),
  ],
  comments: [
    b('enter', 'Enter', 'send to the agent', { command: 'sendOne', when: 'hasComments' }),
    b('up k', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down j', '↓', 'down', { command: 'down', isQuiet: true }),
    b('s', 's', 'send all', { command: 'send', when: 'hasComments' }),
    b('a', 'a', 'answer', { command: 'answer', when: 'hasComments' }),
    b('x', 'x', 'resolve', { command: 'resolve', when: 'hasComments' }),
    b('esc', 'Esc', 'files', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
    ...SCROLL_KEYS,
  ],
  chats: [
    b('enter', 'Enter', 'open', 'open'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('n', 'n', 'new chat', 'new'),
    b('x', 'x', 'remove', { command: 'remove', when: 'canRemove' }),
    b('esc ctrl-o', 'Esc', 'back', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
  background: [
    b('enter', 'Enter', 'open', { command: 'open', when: 'canOpen' }),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('x', 'x', 'end', { command: 'end', when: 'hasWork' }),
    b('esc ctrl-b', 'Esc', 'back', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
  customizations: [
    b('enter', 'Enter', 'on / off', { command: 'toggle', when: 'isItem', help: 'on or off in this session' }),
    b('d', 'd', 'default', {
      command: 'reset',
      when: 'isItem',
      help: 'take back the decision of this session',
    }),
    b('a', 'a', 'allow', { command: 'allow', when: 'canAllow', help: 'let the MCP server run' }),
    b('r', 'r', 'refuse', { command: 'refuse', when: 'canRefuse', help: 'never let the MCP server run' }),
    b('s', 's', 'start', { command: 'start', when: 'canStart' }),
    b('s', 's', 'stop', { command: 'stop', when: 'canStop' }),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-p', 'Esc', 'back', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
  settings: [
    b('enter', 'Enter', 'change', { command: 'change', when: 'isMutable' }),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-g', 'Esc', 'back', 'back'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
  settingChoice: [
    b('enter', 'Enter', 'choose', 'choose'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-c', 'Esc, Ctrl-C', 'back', 'back'),
  ],
  settingText: [
    b('enter', 'Enter', 'save', 'save'),
    b('ctrl-j alt-enter', 'Ctrl-J', 'new line', 'newline'),
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('esc ctrl-c', 'Esc, Ctrl-C', 'back', 'back'),
  ],
  confirm: [
    b('y', 'y', 'yes', 'yes'),
    b('n esc', 'n', 'no', 'no'),
    b('?', '?', 'help', 'help'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
  help: [
    b('up', '↑', 'up', { command: 'up', isQuiet: true }),
    b('down', '↓', 'down', { command: 'down', isQuiet: true }),
    b('pageup', 'PgUp', 'page up', 'pageUp'),
    b('pagedown', 'PgDn', 'page down', 'pageDown'),
    b('esc ? enter q', 'Esc', 'back', 'back'),
    b('ctrl-c', 'Ctrl-C', 'leave', { command: 'leave', isQuiet: true }),
  ],
};

/** Conditions that hold now, by the names that bindings use in `when`. */
export type Conditions = ReadonlySet<string>;

const holds = ({ when }: Binding, conditions: Conditions): boolean =>
  when === undefined || conditions.has(when);

/** The command of a key at a place; `undefined` where it does nothing, or is text. */
export function commandOf(context: KeyContext, key: string, conditions: Conditions): string | undefined {
  return BINDINGS[context].find((binding) => binding.keys.includes(key) && holds(binding, conditions))
    ?.command;
}

/** The bindings that the hint line shows. */
export function hintsOf(context: KeyContext, conditions: Conditions): readonly Binding[] {
  const alive = BINDINGS[context].filter((binding) => holds(binding, conditions));
  // Of two that have a key in common the first one has it.
  const first = alive.filter(
    ({ label }, index) => alive.findIndex((other) => other.label === label) === index,
  );
  return first.filter(({ isQuiet }) => isQuiet !== true);
}

/** The places by name, for help. */
export const CONTEXT_TITLES: Readonly<Record<KeyContext, string>> = {
  sessions: 'Session list (type to filter)',
  newSession: 'New session',
  composer: 'Message',
  popup: 'Completion (@ files, / commands, # turns)',
  approval: 'Tool call approval',
  reason: 'Reason for a denial',
  editInput: 'Input of a tool call',
  form: 'Questions of the agent',
  queue: 'Queued messages',
  browse: 'Turns',
  changes: 'Changes of files',
  diff: 'Changes of a file',
  changesText: 'Comment, or commit message',
  comments: 'Open comments',
  chats: 'Chats',
  background: 'Shells and workers in the background',
  customizations: 'Customizations and MCP servers',
  settings: 'Model and settings',
  settingChoice: 'Choices of a setting (type to filter)',
  settingText: 'Text of a setting',
  confirm: 'Are you sure',
  help: 'Help',
};

/** All keys of a place, one row each: label and what it does. Keys that do one thing in two conditions stand once. */
export function keyRows(context: KeyContext): readonly (readonly [label: string, hint: string])[] {
  const rows = new Map<string, string>();
  for (const { label, hint } of BINDINGS[context]) {
    const before = rows.get(label);
    rows.set(label, before === undefined || before === hint ? hint : `${before}, or ${hint}`);
  }
  for (const { label, help } of BINDINGS[context]) if (help !== undefined) rows.set(label, help);
  return [...rows];
}

/** Keys that edit text, wherever text is typed. */
export const EDITING_KEYS: readonly (readonly [label: string, hint: string])[] = [
  ['Ctrl-A, Home', 'to the beginning of the line'],
  ['Ctrl-E, End', 'to the end of the line'],
  ['Alt-B, Alt-F', 'a word back, forward'],
  ['Ctrl-W', 'delete the word before'],
  ['Ctrl-U', 'delete to the beginning of the line'],
];
