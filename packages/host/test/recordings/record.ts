/**
 * Records the output of real programs on a real pty for tests: `node packages/host/test/recordings/record.ts [name …]`. Each recording has
 * only the bytes; its size is `SIZE`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import { SIZE } from './recorded.ts';

/** A command, and the keys that are sent to it in order. */
interface Session {
  readonly command: readonly [string, ...string[]];
  readonly keys?: readonly string[];
}

const SESSIONS: Readonly<Record<string, Session>> = {
  vim: {
    command: ['vim', '-u', 'NONE', '-N', 'notes.txt'],
    keys: [
      'ihello from a recording\rsecond line\rthird\x1b',
      'ggyyp5pGo漢字 and e\u0301\x1b',
      ':set number hlsearch\r',
      '/line\r',
      'dd',
      ':split\r',
      '\x06',
      '\x15',
      ':wq\r',
      ':q!\r',
    ],
  },
  less: {
    command: [
      'bash',
      '-c',
      'seq -f "line %g of a long file" 500 > long.txt; echo before; less long.txt; echo after',
    ],
    keys: [' ', ' ', 'b', 'G', 'g', '/99\r', 'n', 'jjj', 'kk', 'q'],
  },
  top: { command: ['bash', '-c', 'top -d 0.4 -n 3 -p $$; echo done'] },
  progress: {
    command: [
      'bash',
      '-c',
      'for i in $(seq 0 2 100); do printf "\\r\\033[K\\033[32m%3d%%\\033[0m [%-50s]" $i "$(printf "%*s" $((i/2)) | tr " " "#")"; done; echo; echo done',
    ],
  },
  alternate: {
    command: [
      'bash',
      '-c',
      'seq 40; tput smcup; tput civis; for i in $(seq 1 60); do tput cup $((i % 24)) $((i * 7 % 70)); printf "\\033[4%dm item %d \\033[m" $((i % 8)) $i; done; tput cnorm; tput rmcup; echo back; seq 5',
    ],
  },
  wide: {
    command: [
      'bash',
      '-c',
      'for i in $(seq 1 60); do printf "%d 漢字かな交じり文 한국어 e\\xcc\\x81a\\xcc\\x88 😀🎉 plain %s\\n" $i "$(printf "全角%.0s" $(seq 1 $((i % 25))))"; done',
    ],
  },
  lines: { command: ['bash', '-c', 'seq -f "line %g" 10000'] },
  colors: {
    command: [
      'bash',
      '-c',
      'for i in $(seq 1 1500); do printf "\\033[3%dm[%d]\\033[0m \\033[1;4%dmlevel\\033[m text %d\\n" $((i % 8)) $i $((i / 100 % 8)) $i; done; printf "\\033[44m"; seq 40; printf "\\033[m$ "',
    ],
  },
  regions: {
    command: [
      'bash',
      '-c',
      'clear; printf "header\\n"; printf "\\033[3;20r"; for i in $(seq 1 80); do printf "\\033[20;1H\\nrow %d" $i; done; printf "\\033[5;1H\\033[3L\\033[7minserted\\033[m\\033[10;1H\\033[2M\\033[3;1H\\033M\\033Mreverse"; printf "\\0337\\033[r\\033[24;1Hfooter\\0338still here"; printf "\\033[4hins\\033[4l\\033(0lqqk\\033(B\\033[r\\033[24;1H\\n"; seq 30',
    ],
  },
};

async function record(name: string, { command, keys = [] }: Session): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  try {
    const [program, ...args] = command;
    const child = pty.spawn(program, args, {
      ...SIZE,
      cwd: folder,
      encoding: null,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    });
    const chunks: Buffer[] = [];
    child.onData((data: unknown) => {
      if (Buffer.isBuffer(data)) chunks.push(data);
    });
    const exited = new Promise<void>((resolve) => child.onExit(() => resolve()));
    for (const key of keys) {
      await wait(400);
      child.write(key);
    }
    await exited;
    await wait(200);
    writeFileSync(new URL(`./${name}.bin`, import.meta.url), Buffer.concat(chunks));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const wanted = process.argv.slice(2);
for (const [name, session] of Object.entries(SESSIONS)) {
  if (wanted.length === 0 || wanted.includes(name)) await record(name, session);
}
