/** Characters that change the direction of text (Unicode UAX 9), and zero-width ones that can hide text. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** First code point of the Unicode block with pictures of control characters. */
const CONTROL_PICTURES = 0x2400;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';

/**
 * Makes control characters and direction characters of a text visible: ESC becomes `␛`, U+202E becomes `⟨U+202E⟩`. Tabs and line feeds stay.
 */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(CONTROL, (character) => {
      const code = character.charCodeAt(0);
      if (code === DELETE) return DELETE_PICTURE;
      return code > DELETE ? codeName(character) : String.fromCharCode(CONTROL_PICTURES + code);
    })
    .replace(INVISIBLE, codeName);
}

const codeName = (character: string): string =>
  `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
