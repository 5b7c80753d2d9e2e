import type { Terminal } from '@xterm/headless';

/** Private modes that `serialize` reads off the emulator, and those that are moments rather than modes. */
const COVERED = new Set([
  1, 2, 3, 6, 7, 9, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1006, 1016, 1047, 1048, 1049, 2004, 2026,
]);

/** Colours by number of their OSC, and what resets them. */
const COLORS = [4, 10, 11, 12, 17, 19];

/** How much of it is kept; programs set a handful. */
const LIMIT = 1024;

/**
 * What programs set that this emulator takes no notice of, but that of a viewer may: colours of the palette, private modes
 * and key encodings that it does not know. The last of each is written down again.
 */
export class Remembered {
  readonly #sequences = new Map<string, string>();
  #link = '';

  /** Watches an emulator from before it is fed. */
  constructor({ parser }: Terminal) {
    const modes = (final: 'h' | 'l') => (params: (number | number[])[]) => {
      for (const mode of params.flat()) {
        if (!COVERED.has(mode)) this.#set(`mode ${mode}`, `\x1b[?${mode}${final}`);
      }
      return false;
    };
    parser.registerCsiHandler({ prefix: '?', final: 'h' }, modes('h'));
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, modes('l'));
    parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
      const codes = params.flat();
      this.#set(`keys ${codes[0] ?? ''}`, `\x1b[>${codes.join(';')}m`);
      return false;
    });
    for (const code of COLORS) {
      parser.registerOscHandler(code, (data) => {
        this.#color(code, data);
        return false;
      });
      parser.registerOscHandler(code + 100, (data) => {
        this.#resetColor(code, data);
        return false;
      });
    }
    parser.registerOscHandler(8, (data) => {
      this.#link = `\x1b]8;${data}\x1b\\`;
      return false;
    });
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#sequences.clear();
      return false;
    });
  }

  /** Opens the hyperlink that was opened last: the emulator forgets it when its first line goes. */
  get link(): string {
    return this.#link;
  }

  /** What makes a terminal remember the same. */
  sequences(): string {
    return [...this.#sequences.values()].join('');
  }

  #color(code: number, data: string): void {
    const parts = data.split(';');
    if (code !== 4) {
      if (parts[0] !== '?') this.#set(`color ${code}`, `\x1b]${code};${parts[0]}\x1b\\`);
      return;
    }
    for (let index = 0; index + 1 < parts.length; index += 2) {
      if (parts[index + 1] === '?') continue;
      this.#set(`color 4 ${parts[index]}`, `\x1b]4;${parts[index]};${parts[index + 1]}\x1b\\`);
    }
  }

  #resetColor(code: number, data: string): void {
    if (code !== 4) this.#sequences.delete(`color ${code}`);
    else if (data !== '') for (const index of data.split(';')) this.#sequences.delete(`color 4 ${index}`);
    else
      for (const key of [...this.#sequences.keys()])
        if (key.startsWith('color 4 ')) this.#sequences.delete(key);
  }

  #set(key: string, sequence: string): void {
    this.#sequences.delete(key);
    if (this.#sequences.size < LIMIT && sequence.length < LIMIT) this.#sequences.set(key, sequence);
  }
}
