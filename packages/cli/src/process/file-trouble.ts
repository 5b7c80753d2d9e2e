/** Why a file cannot be read or written, in words. */
export function fileTrouble(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  switch ('code' in cause ? cause.code : undefined) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'its permissions do not allow it';
    case 'EROFS':
      return 'it is on a read-only disk';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'no space left';
    default:
      return cause.message;
  }
}
