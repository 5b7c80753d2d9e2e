import { expect, test } from 'vitest';
import { FileRefusal, refusalOf } from './file-refusal.ts';

const refused = (code: string): unknown => refusalOf(Object.assign(new Error('no'), { code }), 'a/file');

test.each(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'EROFS', 'ENOMEM', 'EBUSY'])(
  '%s is a fault of the host',
  (code) => {
    expect(refused(code)).toMatchObject({
      message: `a/file cannot be used: the operating system reports ${code}`,
      isFault: true,
      isMissing: false,
    });
  },
);

test.each(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EISDIR', 'EINVAL', 'EILSEQ'])(
  '%s is a fault of the path',
  (code) => {
    expect(refused(code)).toBeInstanceOf(FileRefusal);
    expect(refused(code)).toMatchObject({ isFault: false, isMissing: code === 'ENOENT' });
  },
);
