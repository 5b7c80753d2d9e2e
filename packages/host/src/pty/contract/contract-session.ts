import { readdirSync, readFileSync } from 'node:fs';

/** A process of a session. */
export interface Member {
  readonly pid: number;
  readonly name: string;
}

/** The living processes of a session; Linux only. */
export function sessionMembers(session: number): readonly Member[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    let stat: string;
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      return [];
    }
    const [, name = '', state, sid] = /^\d+ \((.*)\) (\S) \d+ \d+ (\d+)/.exec(stat) ?? [];
    return Number(sid) === session && state !== 'Z' ? [{ pid: Number(pid), name }] : [];
  });
}
