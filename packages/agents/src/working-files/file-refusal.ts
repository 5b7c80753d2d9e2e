import { errorCode } from '@agenthost/protocol/values';
/** Why a file of the working directory is not read or written. The message is for agents and people: it names the path as it was asked for. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  /** There is nothing under that path; else there is, or may not be. */
  readonly isMissing: boolean;
  /** The machine cannot now, as with a full disk: nothing is wrong with what was asked. */
  readonly isFault: boolean;

  constructor(
    asked: string,
    reason: string,
    { isMissing = false, isFault = false, ...options }: RefusalOptions = {},
  ) {
    const shown = asked.length > SHOWN_LENGTH ? `${asked.slice(0, SHOWN_LENGTH)}…` : asked;
    // Control characters, and what is no well-formed text, are not passed on as they are.
    super(`${/[\p{Cc}\p{Cs}]/u.test(shown) ? JSON.stringify(shown) : shown} ${reason}`, options);
    this.isMissing = isMissing;
    this.isFault = isFault;
  }
}

interface RefusalOptions extends ErrorOptions {
  readonly isMissing?: boolean;
  readonly isFault?: boolean;
}

/** Of a path, in UTF-16 code units. */
const SHOWN_LENGTH = 500;

/** Has to do with what was asked for: a file of somebody else, or a name that its file system does not take. */
const OF_THE_FILE: readonly string[] = ['EACCES', 'EPERM', 'EINVAL', 'EILSEQ'];

/** What an error of the system means for who asked, without the paths that it names; what is no such error comes back as it is. */
export function refusalOf(error: unknown, asked: string): unknown {
  const code = errorCode(error);
  const cause = error;
  switch (code) {
    case undefined:
      return error;
    case 'ENOENT':
      return new FileRefusal(asked, 'does not exist', { isMissing: true, cause });
    case 'ENOTDIR':
      return new FileRefusal(asked, 'leads through something that is no folder', { cause });
    case 'ENAMETOOLONG':
      return new FileRefusal(asked, 'is too long for a path', { cause });
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
    case 'ENODEV':
      return new FileRefusal(asked, 'is no file', { cause });
    default: {
      const isFault = !OF_THE_FILE.includes(code);
      const reason = `cannot be used: the operating system says ${code}`;
      return new FileRefusal(asked, reason, { isFault, cause });
    }
  }
}
