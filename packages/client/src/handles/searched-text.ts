import { type ResponsePart, type StringOrMarkdown, type ToolCallState, textOf } from '@agenthost/protocol';

/** The text of a part of an answer that a search reads; '' for a part without text. Text that is not in the state is left out. */
export function searchedText(part: ResponsePart): string {
  switch (part.kind) {
    case 'markdown':
    case 'reasoning':
      return part.content;
    case 'toolCall':
      return textOfCall(part.toolCall);
    case 'systemNotification':
      return textOf(part.content);
    case 'inputRequest':
      return lines(
        part.request.message,
        ...(part.request.questions ?? []).map((question) => question.message),
      );
    case 'error':
      return part.error.message;
    default:
      return '';
  }
}

function textOfCall({ displayName, intention, ...call }: ToolCallState): string {
  const input = 'toolInput' in call ? call.toolInput : undefined;
  const content = ('content' in call ? call.content : undefined) ?? [];
  return lines(
    displayName,
    intention,
    plain('invocationMessage' in call ? call.invocationMessage : undefined),
    'partialInput' in call ? call.partialInput : undefined,
    typeof input === 'object' ? input['x-beginning'] : input,
    plain('pastTenseMessage' in call ? call.pastTenseMessage : undefined),
    ...content.map((block) => (block.type === 'text' ? block.text : '')),
  );
}

const lines = (...texts: readonly (string | undefined)[]): string => texts.filter(Boolean).join('\n');

const plain = (message: StringOrMarkdown | undefined): string | undefined =>
  message === undefined ? undefined : textOf(message);

/** Result of `foldText`. */
export interface FoldedText {
  readonly text: string;
  /** The index in the source of an index in `text`, both in UTF-16 code units. */
  sourceOf(index: number): number;
}

/** Removes the differences that a search ignores: those of case and of accents. */
export function foldText(source: string): FoldedText {
  // Most text is ASCII, where indexes stay the same.
  if (!NOT_ASCII.test(source)) return { text: source.toLowerCase(), sourceOf: (index) => index };
  const origins: number[] = [];
  const pieces: string[] = [];
  let at = 0;
  for (const character of source) {
    const piece = character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    for (let unit = 0; unit < piece.length; unit += 1) origins.push(at);
    pieces.push(piece);
    at += character.length;
  }
  return { text: pieces.join(''), sourceOf: (index) => origins[index] ?? source.length };
}

const NOT_ASCII = /[^\p{ASCII}]/u;
