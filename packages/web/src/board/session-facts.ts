import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import type { BoardSession } from './board-session.ts';
import { projectName } from './folder-name.ts';

/** Unicode's isolates: a name in another direction keeps the order of its neighbours. */
const isolated = (name: string): string => `\u2068${visibleText(name)}\u2069`;

/** Project, agent and host of a session on one line. */
export const factsOf = ({ summary, agentName, link }: BoardSession, showsHost: boolean): string =>
  [projectName(summary), agentName, showsHost ? link.address.name : '']
    .filter((name) => name !== '')
    .map(isolated)
    .join(text.board.separator);
