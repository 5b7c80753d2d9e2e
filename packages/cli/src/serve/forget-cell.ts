import { countSessionsOfCell, forgetCell, JournalError } from '@agenthost/host';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { oneLine } from '../render/plain-text.ts';
import { checkJournalUrl, splitJournalUrl } from './journal-url.ts';

/** A cell of a database that no host holds. Both methods reject with a `CliError` while a host holds it, and for an unknown cell. */
interface FreeCell {
  countSessions(): Promise<number>;
  /** Removes the cell with everything in it. Resolves with the number of its sessions. */
  forget(): Promise<number>;
}

/** A cell of the database that a journal URL names. Throws a usage error for an invalid URL. */
export function freeCell(
  cell: string,
  { journal, password }: { readonly journal: string; readonly password: string | undefined },
): FreeCell {
  const { url, cell: named } = splitJournalUrl(checkJournalUrl(journal));
  if (named !== undefined && named !== cell)
    throw usageError(`--journal: names the cell ${oneLine(named)}: remove cell= from the URL`);
  const explained = (work: Promise<number>): Promise<number> =>
    work.catch((cause: unknown) => {
      throw cause instanceof JournalError ? new CliError(EXIT.error, cause.message, { cause }) : cause;
    });
  const server = { url, password };
  return {
    countSessions: () => explained(countSessionsOfCell(server, cell)),
    forget: () => explained(forgetCell(server, cell)),
  };
}
