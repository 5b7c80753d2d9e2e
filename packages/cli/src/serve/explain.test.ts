import { JournalError, ListenRefused } from '@agenthost/host';
import { describe, expect, test } from 'vitest';
import { explainStart } from './explain.ts';

const attempt = { host: '127.0.0.1', port: 80, dataDir: '/data', others: [] };
const systemError = (code: string, more: object = {}): Error =>
  Object.assign(new Error(code), { code, ...more });

describe('the reason of a failed start', () => {
  test.each([
    [systemError('EADDRINUSE'), 'port 80 on 127.0.0.1 is in use by another program'],
    [systemError('EACCES', { syscall: 'listen' }), 'port 80 on 127.0.0.1 requires root'],
    [systemError('EACCES', { path: '/data/owner-token' }), '/data/owner-token cannot be written'],
    [systemError('EROFS'), '/data cannot be written'],
    [systemError('ENOSPC'), 'no space left in /data'],
    [systemError('EADDRNOTAVAIL'), '--host 127.0.0.1 is not an address of this machine'],
    [systemError('EAI_AGAIN', { syscall: 'getaddrinfo' }), '--host 127.0.0.1 could not be resolved'],
    [systemError('ENOTDIR'), '/data is not a folder'],
    [
      new JournalError('io', 'cannot be read', { cause: systemError('EEXIST') }),
      '/data is not a folder: choose another folder with --data',
    ],
    [
      new JournalError('io', 'cannot be read', { cause: systemError('ENOENT', { syscall: 'mkdir' }) }),
      'the data folder /data cannot be created (ENOENT): choose another folder with --data',
    ],
    [new ListenRefused('blocked-port', 'port 22: choose another port'), 'choose another port with --port'],
    [new JournalError('full', 'no room to write it'), 'no room to write it'],
    [new JournalError('locked', 'in use by another host'), 'in use by another host'],
  ])('%s', (cause, message) => {
    const explained = explainStart(cause, attempt);
    expect(explained).toMatchObject({ name: 'CliError', exitCode: 1, cause });
    expect(explained).toHaveProperty('message', expect.stringContaining(message));
  });

  test('returns unknown errors unchanged', () => {
    const error = new Error('a fault of ours');
    expect(explainStart(error, attempt)).toBe(error);
  });
});
