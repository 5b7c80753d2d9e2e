import type { IParser } from '@xterm/headless';

/** Private modes that `SerializeAddon` writes, and modes that switch or save a screen. */
const OTHERWISE_KEPT = new Set([
  1, 3, 6, 7, 9, 45, 47, 66, 1000, 1002, 1003, 1004, 1047, 1048, 1049, 2004, 2026,
]);

/** OSC numbers that set colours. Each number plus 100 resets them. */
const COLOR_CODES = [4, 10, 11, 12, 17, 19];

/** Settings that are kept at most, and the UTF-16 code units of each. Programs set a handful. */
const MOST_SETTINGS = 1024;
const LONGEST_SETTING = 1024;

/**
 * Remembers the last value of settings of a terminal that `SerializeAddon` does not write: colours of the palette, the shape of the
 * cursor, charsets, key encodings, and other private modes. A viewer's emulator may know more of them than the host's.
 */
export class ProgramSettings {
  readonly #sequences = new Map<string, string>();

  /** Call it before the emulator reads text. */
  constructor(parser: IParser) {
    for (const final of ['h', 'l']) {
      parser.registerCsiHandler({ prefix: '?', final }, (params) => {
        for (const mode of params.flat())
          if (!OTHERWISE_KEPT.has(mode)) this.#set(`mode ${mode}`, `\x1b[?${mode}${final}`);
        return false;
      });
    }
    parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
      const codes = params.flat();
      this.#set(`keys ${codes[0] ?? ''}`, `\x1b[>${codes.join(';')}m`);
      return false;
    });
    parser.registerCsiHandler({ intermediates: ' ', final: 'q' }, (params) => {
      this.#set('cursor', `\x1b[${params.flat().join(';')} q`);
      return false;
    });
    for (const code of COLOR_CODES) {
      parser.registerOscHandler(code, (data) => {
        this.#setColors(code, data);
        return false;
      });
      parser.registerOscHandler(code + 100, (data) => {
        this.#resetColors(code, data);
        return false;
      });
    }
    for (const slot of ['(', ')', '*', '+']) {
      for (const final of ['0', 'A', 'B']) {
        parser.registerEscHandler({ intermediates: slot, final }, () => {
          this.#set(`charset ${slot}`, `\x1b${slot}${final}`);
          return false;
        });
      }
    }
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#sequences.clear();
      return false;
    });
  }

  /** The sequences that make the same settings. */
  sequences(): string {
    return [...this.#sequences.values()].join('');
  }

  #setColors(code: number, data: string): void {
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

  #resetColors(code: number, data: string): void {
    if (code !== 4) this.#sequences.delete(`color ${code}`);
    else if (data !== '') for (const index of data.split(';')) this.#sequences.delete(`color 4 ${index}`);
    else
      for (const key of [...this.#sequences.keys()])
        if (key.startsWith('color 4 ')) this.#sequences.delete(key);
  }

  #set(key: string, sequence: string): void {
    this.#sequences.delete(key);
    if (this.#sequences.size < MOST_SETTINGS && sequence.length < LONGEST_SETTING)
      this.#sequences.set(key, sequence);
  }
}
