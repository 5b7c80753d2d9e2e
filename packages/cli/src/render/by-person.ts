import type { Author } from '@agenthost/protocol';
import { oneLine } from './plain-text.ts';

/** ` by Ada Lovelace`; empty when the person is not known. */
export const byPerson = (author: Author | undefined): string =>
  author?.person === undefined ? '' : ` by ${oneLine(author.person)}`;
