/** A colour: an index of the 16 colours of the theme, or a CSS colour. */
export type AnsiColor = number | string;

/** Look of a piece of output. Absent colours are those of the surroundings. */
export interface AnsiStyle {
  readonly foreground?: AnsiColor | undefined;
  readonly background?: AnsiColor | undefined;
  readonly isBold?: boolean | undefined;
  readonly isDim?: boolean | undefined;
  readonly isItalic?: boolean | undefined;
  readonly isUnderlined?: boolean | undefined;
  readonly isStruck?: boolean | undefined;
  readonly isInverse?: boolean | undefined;
  readonly isHidden?: boolean | undefined;
}

/** The style at the start, and after a reset. */
export const PLAIN: AnsiStyle = {};

/** Steps of the 6×6×6 colour cube of xterm. */
const CUBE = [0, 95, 135, 175, 215, 255];

const rgb = (red: number, green: number, blue: number): string => `rgb(${red} ${green} ${blue})`;

/** The colour with an index of the 256 colours; `undefined` for another number. */
export function indexedColor(index: number): AnsiColor | undefined {
  if (!Number.isInteger(index) || index < 0 || index > 255) return undefined;
  if (index < 16) return index;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return rgb(grey, grey, grey);
  }
  const at = index - 16;
  const [red = 0, green = 0, blue = 0] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(
    (step) => CUBE[step] ?? 0,
  );
  return rgb(red, green, blue);
}

/** The style after SGR (`CSI … m`) with these parameters. Unknown parameters change nothing. */
export function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  const given = parameters.split(';');
  let next = style;
  for (let index = 0; index < given.length; index++) {
    const parameter = given[index] ?? '';
    if (/^[345]8(?:$|:)/.test(parameter)) {
      const isJoined = parameter.includes(':');
      const parts = isJoined ? parameter.split(':') : given.slice(index);
      const { color, used } = extendedColor(parts, isJoined);
      if (!isJoined) index += used;
      if (color !== undefined && parameter.startsWith('3')) next = { ...next, foreground: color };
      if (color !== undefined && parameter.startsWith('4')) next = { ...next, background: color };
      continue;
    }
    next = applyOne(next, parameter);
  }
  return next;
}

/** The colour of `38;5;n`, `38;2;r;g;b` and the forms with colons; `used`: parameters behind the first. */
function extendedColor(
  parts: readonly string[],
  isJoined: boolean,
): { readonly color: AnsiColor | undefined; readonly used: number } {
  if (parts[1] === '5') return { color: indexedColor(Number(parts[2])), used: 2 };
  if (parts[1] !== '2') return { color: undefined, used: 1 };
  // With colons, a colour space may stand in front.
  const channels = (isJoined && parts.length > 5 ? parts.slice(3, 6) : parts.slice(2, 5)).map(Number);
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = channels;
  const isValid = [red, green, blue].every(
    (channel) => Number.isInteger(channel) && channel >= 0 && channel <= 255,
  );
  return { color: isValid ? rgb(red, green, blue) : undefined, used: 4 };
}

const NAMED: Readonly<Record<string, Partial<AnsiStyle>>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  8: { isHidden: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: undefined, isDim: undefined },
  23: { isItalic: undefined },
  24: { isUnderlined: undefined },
  27: { isInverse: undefined },
  28: { isHidden: undefined },
  29: { isStruck: undefined },
  39: { foreground: undefined },
  49: { background: undefined },
  '4:0': { isUnderlined: undefined },
};

function applyOne(style: AnsiStyle, parameter: string): AnsiStyle {
  if (parameter === '' || Number(parameter) === 0) return PLAIN;
  const named = NAMED[parameter] ?? (/^4:[1-5]$/.test(parameter) ? NAMED[4] : undefined);
  if (named !== undefined) return { ...style, ...named };
  const code = Number(parameter);
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

/** Whether two styles look the same. */
export const isSameStyle = (a: AnsiStyle, b: AnsiStyle): boolean =>
  a === b ||
  (a.foreground === b.foreground &&
    a.background === b.background &&
    a.isBold === b.isBold &&
    a.isDim === b.isDim &&
    a.isItalic === b.isItalic &&
    a.isUnderlined === b.isUnderlined &&
    a.isStruck === b.isStruck &&
    a.isInverse === b.isInverse &&
    a.isHidden === b.isHidden);
