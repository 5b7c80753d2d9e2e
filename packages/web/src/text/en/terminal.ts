/** Texts about terminals. */
export const terminal = {
  title: 'Terminals',
  terminalLabel: (title: string) =>
    `Terminal ${title}. All keys go to the program. Ctrl+Shift+L leaves the terminal.`,
  screenLabel: (title: string) => `Screen of ${title}`,
  unknownClient: 'another client',
  goneReason: 'The terminal was closed.',

  // Who holds it.
  heldByMe: 'You type here',
  heldByNobody: 'Nobody types here',
  heldByClient: (name: string) => `${name} types here`,
  usedBySession: 'An agent uses it',
  backgroundOfSession: 'A session holds it in the background',
  watchOnly: 'Read-only: this token does not allow typing.',
  takeOver: 'Take over',
  takeOverHint: 'Type here, and set the size of the terminal',
  mustHandOver: 'It must stop typing there first.',
  giveBack: 'Stop typing here',
  handTo: (name: string) => `Hand over to ${name}`,
  openSession: 'Open session',

  // States.
  opening: 'Opening the terminal…',
  failedTitle: 'The terminal could not be opened',
  lostTitle: 'This terminal was closed',
  lost: 'Its program has ended, and its output is no longer kept.',
  exited: (code: number | undefined) =>
    code === undefined ? 'The program has ended.' : `The program ended with exit code ${code}.`,
  exitedShort: (code: number | undefined) => (code === undefined ? 'exited' : `exited ${code}`),
  running: 'running',
  reconnecting: 'No connection. Keys are sent when it is back.',
  restart: 'Run again',
  newHere: 'New terminal in this folder',

  // Actions.
  actions: (title: string) => `Actions of ${title}`,
  interrupt: 'Interrupt (Ctrl+C)',
  previousCommand: 'Previous command',
  nextCommand: 'Next command',
  copyOutput: 'Copy output',
  copyCommand: 'Copy command',
  selectOutput: 'Select output',
  runAgain: 'Type the command again',
  copyLastOutput: 'Copy output of the last command',
  clear: 'Clear',
  rename: 'Rename',
  renameTitle: 'Rename the terminal',
  name: 'Name',
  close: 'Close',
  closeTitle: 'End the running program?',
  closeText: (title: string) => `“${title}” is still running. Closing the terminal ends it for everyone.`,
  closeConfirm: 'End and close',
  biggerFont: 'Larger text',
  smallerFont: 'Smaller text',
  screenReader: 'Screen reader mode',
  bell: 'Bell',

  // Command marks.
  commandRunning: (line: string) => `${line}: running`,
  commandDone: (line: string, code: number | undefined, duration: string | undefined) =>
    [
      line,
      code === undefined ? 'ended' : code === 0 ? 'succeeded' : `failed with exit code ${code}`,
      duration,
    ]
      .filter((part) => part !== undefined)
      .join(', '),
  outputCopied: 'Output copied',
  noOutput: 'The command has no output.',

  // Paste, links.
  pasteTitle: 'Paste several lines?',
  pasteText: 'The program may run each line at once.',
  paste: 'Paste',
  linkText: 'A program in the terminal wrote this address.',

  // Keys above the on-screen keyboard.
  keyRow: 'Terminal keys',
  keys: {
    escape: 'Esc',
    tab: 'Tab',
    control: 'Ctrl',
    left: 'Left',
    up: 'Up',
    down: 'Down',
    right: 'Right',
  },

  // Output in a chat.
  outputLabel: 'Output of the command',
  noOutputYet: 'No output yet',
  fullScreen: 'A full-screen program is running. Open the terminal to see it.',
  openTerminal: 'Open terminal',
  hideTerminal: 'Hide terminal',
  showMore: 'Show more',
  showLess: 'Show less',
  cutOutput: 'Only a part of the output is shown.',
  inView: 'Show in terminals',

  // The view of all terminals.
  emptyTitle: 'No terminals',
  empty: 'Terminals run on the host. They continue when this page is closed.',
  newTerminal: 'New terminal',
  command: 'Command',
  commandHint: 'Empty: your shell.',
  folder: 'Folder',
  folderHint: 'An absolute path on the host. Empty: the default folder of the host.',
  folderInvalid: 'Enter an absolute path, such as /home/me/project.',
  create: 'Open terminal',
  tabs: 'Terminals',
  host: 'Host',
  split: 'Show two side by side',
  unsplit: 'Show one',
  agentTerminal: 'used by a session',
  sessionTerminals: 'Terminals of this session',
  noSessionTerminals: 'This session has no terminals.',
  showTerminals: (count: number) =>
    count === 0 ? 'Show terminals' : count === 1 ? 'Show 1 terminal' : `Show ${count} terminals`,
  hideTerminals: 'Hide terminals',
};
