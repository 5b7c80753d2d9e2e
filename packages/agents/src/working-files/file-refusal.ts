import { errorCode } from '@agenthost/protocol/values';
/**
 * Why a file of the working directory is not read or written. The message is for agents and people and names
 * the requested path.
 */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  /** True when nothing exists at the path. */
  readonly isMissing: boolean;
  /** True for a fault of the machine, such as a full disk; the request itself is valid. */
  readonly isFault: boolean;

  constructor(
    asked: string,
    reason: string,
    { isMissing = false, isFault = false, ...options }: RefusalOptions = {},
  ) {
    const shown = asked.length > SHOWN_LENGTH ? `${asked.slice(0, SHOWN_LENGTH)}…` : asked;
    // Control characters and malformed text are escaped.
    super(`${/[\p{Cc}\p{Cs}]/u.test(shown) ? JSON.stringify(shown) : shown} ${reason}`, options);
    this.isMissing = isMissing;
    this.isFault = isFault;
  }
}

interface RefusalOptions extends ErrorOptions {
  readonly isMissing?: boolean;
  readonly isFault?: boolean;
}

/** Longest part of a path in a message, in UTF-16 code units. */
const SHOWN_LENGTH = 500;

/**
 * Errors that concern the requested file: a file of another user, or a name that the file system does not
 * accept.
 */
const OF_THE_FILE: readonly string[] = ['EACCES', 'EPERM', 'EINVAL', 'EILSEQ'];

/**
 * Converts a system error to a `FileRefusal` without the paths in its message. Other errors are returned
 * unchanged.
 */
export function refusalOf(error: unknown, asked: string): unknown {
  const code = errorCode(error);
  const cause = error;
  switch (code) {
    case undefined:
      return error;
    case 'ENOENT':
      return new FileRefusal(asked, 'does not exist', { isMissing: true, cause });
    case 'ENOTDIR':
      return new FileRefusal(asked, 'leads through something that is not a folder', { cause });
    case 'ENAMETOOLONG':
      return new FileRefusal(asked, 'is too long for a path', { cause });
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
    case 'ENODEV':
      return new FileRefusal(asked, 'is not a file', { cause });
    default: {
      const isFault = !OF_THE_FILE.includes(code);
      const reason = `cannot be used: the operating system reports ${code}`;
      return new FileRefusal(asked, reason, { isFault, cause });
    }
  }
}
