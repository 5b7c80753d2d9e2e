/**
 * A backup that cannot be written or restored. `code`: 'target': the file or the folder cannot be used; 'invalid': the file is no valid backup;
 * 'newer': a newer agenthost wrote the backup; 'inUse': a host uses the data folder, or another backup is being made; 'damaged': the database is
 * damaged; 'noData': there is nothing to back up; 'full': not enough disk space.
 */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: 'target' | 'invalid' | 'newer' | 'inUse' | 'damaged' | 'noData' | 'full';

  constructor(code: BackupError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
