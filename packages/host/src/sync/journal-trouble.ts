import { JournalError } from '../journal/journal.ts';

/** Why the journal cannot be used, in words for clients. The journal's own messages contain file names and addresses of the host. */
const TROUBLES: Readonly<Record<JournalError['code'], string>> = {
  full: 'there is no room on its disk',
  readOnly: 'its data folder or its database is not writable',
  locked: 'another process uses it',
  newer: 'a newer host wrote it',
  damaged: 'it is damaged',
  missing: 'its database was removed',
  closed: 'the host is stopping',
  unreachable: 'its database does not answer',
  lost: 'this host has given it up',
  io: 'its disk or its database fails',
};

/** The reason alone, such as `there is no room on its disk`. */
export const troubleReason = (error: unknown): string =>
  error instanceof JournalError ? TROUBLES[error.code] : 'its journal fails';

/** Why the host could not write its journal, for clients. */
export function writeTrouble(error: unknown): string {
  if (!(error instanceof JournalError)) return 'The host cannot write its journal now; try again';
  return finalTrouble(error) ?? `The host cannot write its journal now (${TROUBLES[error.code]}); try again`;
}

/** Why the host could not read its journal for a request, for clients. */
export function readTrouble(error: JournalError): string {
  switch (error.code) {
    case 'unreachable':
      return 'The database of the host does not answer; the host keeps trying to reach it: try again later';
    case 'damaged':
      return 'The host cannot read this: its database is damaged';
    default:
      return (
        finalTrouble(error) ?? `The host cannot read its journal now (${TROUBLES[error.code]}); try again`
      );
  }
}

/** For a journal that this host can no longer use. The message of 'lost' contains no names, and says what is known. */
function finalTrouble({ code, message }: JournalError): string | undefined {
  if (code === 'closed') return 'The host is stopping';
  return code === 'lost' ? `The host cannot use its journal any more: ${message}` : undefined;
}
