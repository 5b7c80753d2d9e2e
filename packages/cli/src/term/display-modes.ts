/** Private modes that are on unless a program turns them off: wrapping at the margin, the cursor. */
const onByDefault: ReadonlySet<number> = new Set([7, 25]);

/** The ways to show the alternate screen. */
const alternateScreens: ReadonlySet<number> = new Set([47, 1047, 1049]);

const csi = '\u001b[';

/** What a program has changed in the emulator that shows it, so that it can be changed back. */
export class DisplayModes {
  /** Private modes that are not as they are by default. */
  readonly #changed = new Map<number, boolean>();
  #hasMargins = false;
  #hasKeypad = false;
  #hasInsert = false;
  #hasModifiedKeys = false;
  #keyboardDepth = 0;
  #hasCursorShape = false;

  /** Takes in a sequence, without its ESC. */
  see(body: string): void {
    const [, privateModes = '', switched] = /^\[\?([\d;]+)([hl])$/.exec(body) ?? [];
    if (switched !== undefined) {
      for (const text of privateModes.split(';')) this.#switch(Number(text), switched === 'h');
      return;
    }
    if (body === 'c') this.#forget();
    else if (body === '=' || body === '>') this.#hasKeypad = body === '=';
    else if (/^\[\d*(?:;\d*)?r$/.test(body)) this.#hasMargins = body !== '[r';
    else if (/^\[4[hl]$/.test(body)) this.#hasInsert = body.endsWith('h');
    else if (/^\[>4(?:;\d*)?m$/.test(body)) this.#hasModifiedKeys = /;[1-9]/.test(body);
    else if (/^\[>\d*u$/.test(body)) this.#keyboardDepth += 1;
    else if (/^\[<\d*u$/.test(body)) {
      this.#keyboardDepth = Math.max(0, this.#keyboardDepth - Number(body.slice(2, -1) || 1));
    } else if (/^\[\d* q$/.test(body)) this.#hasCursorShape = !/^\[0? q$/.test(body);
  }

  /** Puts everything back: what to write to the emulator. Afterwards nothing is changed. */
  restore(): string {
    let text = '';
    for (const [mode, isOn] of this.#changed) {
      if (!alternateScreens.has(mode)) text += `${csi}?${mode}${isOn ? 'l' : 'h'}`;
    }
    if (this.#keyboardDepth > 0) text += `${csi}<${this.#keyboardDepth}u`;
    if (this.#hasModifiedKeys) text += `${csi}>4m`;
    if (this.#hasKeypad) text += '\u001b>';
    if (this.#hasInsert) text += `${csi}4l`;
    if (this.#hasCursorShape) text += `${csi}0 q`;
    // Setting margins moves the cursor home.
    if (this.#hasMargins) text += `\u001b7${csi}r\u001b8`;
    for (const mode of alternateScreens) if (this.#changed.has(mode)) text += `${csi}?${mode}l`;
    this.#forget();
    // Colours, character sets.
    return `${text}${csi}m\u001b(B\u000f`;
  }

  #switch(mode: number, isOn: boolean): void {
    if (isOn === onByDefault.has(mode)) this.#changed.delete(mode);
    else this.#changed.set(mode, isOn);
  }

  #forget(): void {
    this.#changed.clear();
    this.#keyboardDepth = 0;
    this.#hasMargins = this.#hasKeypad = this.#hasInsert = false;
    this.#hasModifiedKeys = this.#hasCursorShape = false;
  }
}
