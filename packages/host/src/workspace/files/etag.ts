import type { BigIntStats } from 'node:fs';

/** Changes whenever the file is replaced, or its content or its mode changes. */
export const etagOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
