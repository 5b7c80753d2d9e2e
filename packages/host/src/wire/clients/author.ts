import type { Author, Implementation } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';

/** The names of a client for people, as its `clientInfo` gave them. */
export type ClientNames = Omit<Author, 'clientId' | 'person'>;

/** Longest name, in UTF-16 code units. Every answer of a person contains a name. */
const MAX_NAME = 100;

/** The names of a client without control characters, of bounded length. */
export function namesOf(info: Implementation | undefined): ClientNames {
  const name = cleaned(info?.title) ?? cleaned(info?.name) ?? 'client';
  return { name, ...defined({ device: cleaned(info?.['x-device']) }) };
}

/** `undefined` if nothing is left of the text. Format characters go too, since they change the direction of the text around a name. */
function cleaned(text: string | undefined): string | undefined {
  const line = text
    ?.slice(0, 4 * MAX_NAME)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // A cut may split a surrogate pair.
  return line === undefined || line === ''
    ? undefined
    : line
        .slice(0, MAX_NAME)
        .replace(/\p{Cs}$/u, '')
        .trim();
}
