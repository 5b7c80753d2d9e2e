import type { HostDiskUseResult } from '@agenthost/protocol';

/** One part of a bar. */
export interface DiskPart {
  readonly name: 'contents' | 'records' | 'reusable' | 'log';
  readonly bytes: number;
}

/** The files of a host by what they hold; parts of no size are left out. */
export function diskParts({
  databaseBytes,
  reusableBytes,
  contentBytes,
  logBytes = 0,
}: HostDiskUseResult): DiskPart[] {
  const parts: readonly DiskPart[] = [
    { name: 'contents', bytes: contentBytes },
    { name: 'records', bytes: Math.max(0, databaseBytes - reusableBytes - contentBytes) },
    { name: 'reusable', bytes: reusableBytes },
    { name: 'log', bytes: logBytes },
  ];
  return parts.filter(({ bytes }) => bytes > 0);
}
