import { shownKeys } from '../../palette/actions.ts';
import { settingsText } from '../../text/settings-text.ts';
import { text } from '../../text/text.ts';

/** One line of the list: keys as the device writes them, and what they do. */
export type KeyRow = readonly [keys: readonly string[], label: string];

/** The shortcuts of one place. */
export interface KeyList {
  readonly title: string;
  readonly rows: readonly KeyRow[];
}

const words = settingsText.keyRows;

const row = (label: string, ...keys: readonly string[]): KeyRow => [keys.map(shownKeys), label];

/** A row with keys that are the same on all devices, as written. */
const plain = (label: string, ...keys: readonly string[]): KeyRow => [keys, label];

/** The shortcuts of each part of the page that has keys of its own while it has the focus. */
export const KEY_LISTS: readonly KeyList[] = [
  {
    title: text.board.listKeys,
    rows: [
      row(text.palette.search, '/'),
      row(text.palette.switchGrouping, 'g'),
      row(text.board.keyMove, 'arrowdown', 'arrowup', 'j', 'k'),
      row(text.board.keyEnds, 'home', 'end'),
      row(text.board.keyOpen, 'enter'),
      row(text.board.keyClose, 'arrowleft', 'arrowright'),
      row(text.board.archive, 'e'),
      row(text.board.markUnread, 'u'),
      row(text.board.rename, 'r'),
      row(text.board.delete, 'delete'),
      row(text.board.keyMenu, 'm'),
    ],
  },
  {
    title: settingsText.keysComposer,
    rows: [
      row(words.send, 'enter', 'mod+enter'),
      row(words.newLine, 'shift+enter'),
      row(words.steer, 'alt+enter'),
      row(words.editLast, 'arrowup'),
      row(words.stop, 'escape'),
      row(words.mention, '@'),
      row(words.command, '/'),
    ],
  },
  {
    title: settingsText.keysApproval,
    rows: [
      row(words.allow, 'a'),
      row(words.deny, 'd'),
      row(words.edit, 'e'),
      plain(words.option, '1', '…', '9'),
    ],
  },
  {
    title: settingsText.keysTerminal,
    rows: [
      plain(words.leave, 'Ctrl Shift L'),
      plain(words.copy, 'Ctrl Shift C'),
      plain(words.paste, 'Ctrl Shift V'),
      plain(words.commands, 'Ctrl Shift ↑', 'Ctrl Shift ↓'),
      plain(words.newTerminal, 'Ctrl Shift T'),
      plain(words.tab, 'Alt 1', '…', 'Alt 9'),
    ],
  },
];
