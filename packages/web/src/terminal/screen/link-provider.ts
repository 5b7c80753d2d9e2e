import type { ILink, ILinkProvider, Terminal } from '@xterm/xterm';
import { findLinks } from './find-links.ts';

/** Lines that one address may span. */
const MAX_WRAPPED = 8;

/** Finds web addresses in the lines of an emulator. `onOpen` decides what to do with one that was clicked. */
export function linkProvider(terminal: Terminal, onOpen: (url: string) => void): ILinkProvider {
  return {
    provideLinks: (lineNumber, callback) => {
      const buffer = terminal.buffer.active;
      let first = lineNumber - 1;
      while (lineNumber - first < MAX_WRAPPED && buffer.getLine(first)?.isWrapped === true) first -= 1;
      let text = '';
      for (let at = first; at < first + MAX_WRAPPED; at++) {
        const line = buffer.getLine(at);
        if (line === undefined || (at > first && !line.isWrapped)) break;
        text += line.translateToString(false);
      }
      const { cols } = terminal;
      const positionOf = (index: number) => ({
        x: (index % cols) + 1,
        y: first + Math.floor(index / cols) + 1,
      });
      const links = findLinks(text).map(
        ({ url, start, end }): ILink => ({
          text: url,
          range: { start: positionOf(start), end: positionOf(end) },
          activate: () => onOpen(url),
        }),
      );
      callback(links.filter(({ range }) => range.start.y <= lineNumber && range.end.y >= lineNumber));
    },
  };
}
