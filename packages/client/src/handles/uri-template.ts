interface Operator {
  readonly first: string;
  readonly separator: string;
  /** Whether values stand behind their names. */
  readonly isNamed?: boolean;
  /** The text behind the name of an empty value. */
  readonly ifEmpty?: string;
  /** Whether reserved characters and `%xx` stay as they are. */
  readonly isReserved?: boolean;
}

const PLAIN: Operator = { first: '', separator: ',' };

/** The operators of RFC 6570, appendix A. */
const OPERATORS = new Map<string, Operator>([
  ['+', { first: '', separator: ',', isReserved: true }],
  ['#', { first: '#', separator: ',', isReserved: true }],
  ['.', { first: '.', separator: '.' }],
  ['/', { first: '/', separator: '/' }],
  [';', { first: ';', separator: ';', isNamed: true, ifEmpty: '' }],
  ['?', { first: '?', separator: '&', isNamed: true, ifEmpty: '=' }],
  ['&', { first: '&', separator: '&', isNamed: true, ifEmpty: '=' }],
]);

/** Expands a URI template by RFC 6570 with values that are strings. A variable without a value is left out. */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([^{}]+)\}|([^{]+|\{)/g, (_, expression: string | undefined, literal = '') =>
    expression === undefined ? encodeReserved(String(literal)) : expanded(expression, values),
  );
}

/** The variables that a template names. */
export const variablesOf = (template: string): string[] =>
  [...template.matchAll(/\{[+#./;?&]?([^{}]+)\}/g)].flatMap(([, list = '']) =>
    list.split(',').map((each) => nameOf(each).name),
  );

function expanded(expression: string, values: Readonly<Record<string, string>>): string {
  const operator = OPERATORS.get(expression.charAt(0));
  const { first, separator, isNamed, ifEmpty, isReserved } = operator ?? PLAIN;
  const parts = expression
    .slice(operator === undefined ? 0 : 1)
    .split(',')
    .flatMap((each) => {
      const { name, length } = nameOf(each);
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return [];
      const part = length === undefined ? value : Array.from(value).slice(0, length).join('');
      const text = isReserved === true ? encodeReserved(part) : encode(part);
      if (isNamed !== true) return [text];
      return [text === '' ? `${name}${ifEmpty ?? ''}` : `${name}=${text}`];
    });
  return parts.length === 0 ? '' : first + parts.join(separator);
}

/** Name and prefix length of a variable. The modifier `*` makes no difference for a string. */
function nameOf(variable: string): { name: string; length: number | undefined } {
  const [, name = variable, length] = /^(.*?)(?:\*|:(\d{1,4}))?$/.exec(variable) ?? [];
  return { name, length: length === undefined ? undefined : Number(length) };
}

// Both functions of the platform throw for a lone surrogate.
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\uFFFD');

const encode = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** `encodeURI` keeps the reserved characters but these two; `%xx` stays as it is. */
const encodeReserved = (text: string): string =>
  encodeURI(wellFormed(text))
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replaceAll(/%25([0-9A-Fa-f]{2})/g, '%$1');
