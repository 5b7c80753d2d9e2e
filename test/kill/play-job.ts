// Plays a build in a terminal: `play-job.ts <script.json>`, in a process of its own. The type of the script is in `terminal-job.ts`.
import { existsSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobScript } from './terminal-job.ts';

const GATE_POLL_MS = 5;

const script: JobScript = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const bytes = Buffer.from(script.text);
let written = 0;
let answers = '';
let answerCount = 0;
const ended = Promise.withResolvers<void>();

write(Buffer.from(`ready ${process.pid}\n`));
if (script.reads)
  createInterface({ input: process.stdin }).on('line', (line) => {
    answerCount += 1;
    answers += `\u001b[36m<${answerCount}:${line}>\u001b[0m\n`;
    answer();
    if (line === 'end') ended.resolve();
  });
for (const [end, pauseMs] of script.pieces) {
  if (written < script.heldAt && end >= script.heldAt) {
    advance(script.heldAt);
    while (!existsSync(script.gate)) await pause(GATE_POLL_MS);
  }
  advance(end);
  if (pauseMs > 0) await pause(pauseMs);
}
if (script.reads) await ended.promise;
write(Buffer.from(script.farewell));
if ('signal' in script.end) {
  process.kill(process.pid, script.end.signal);
  // Some signals arrive after the call has returned.
  await pause(10_000);
}
process.exit('code' in script.end ? script.end.code : 1);

function advance(to: number): void {
  write(bytes.subarray(written, to));
  written = to;
  answer();
}

/** Writes answers between lines only, so that a reader can tell them from the output. */
function answer(): void {
  if (written > 0 && bytes[written - 1] !== 10) return;
  write(Buffer.from(answers));
  answers = '';
}

function write(rest: Buffer): void {
  for (let at = 0; at < rest.length; ) at += writeSync(1, rest, at);
}
