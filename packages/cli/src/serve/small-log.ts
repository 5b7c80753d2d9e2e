import { copyFileSync, fstatSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import { MAX_LOG_BYTES } from '../host-link/rotate-log.ts';

const INTERVAL_MS = 60 * 60_000;

/** The output of the process. */
const STDERR = 2;

/**
 * Keeps `serve.log` of these folders small while a host writes its output to it: now and once an hour, a large one is copied to `serve.log.1` and
 * emptied. The file stays the same, because launchd or the command that started the host has opened it for the host. `tell` gets a line if
 * that fails. Returns a function that ends it.
 */
export function keepLogSmall(
  folders: readonly string[],
  tell: (line: string) => void,
  output: number = STDERR,
): () => void {
  const file = folders.map((folder) => join(folder, 'serve.log')).find((path) => isSame(path, output));
  if (file === undefined) return () => undefined;
  const look = (): void => {
    try {
      if (fstatSync(output).size <= MAX_LOG_BYTES || !isSame(file, output)) return;
      copyFileSync(file, `${file}.1`);
      truncateSync(file);
    } catch (error) {
      tell(`${file} cannot be emptied: ${errorText(error)}`);
    }
  };
  look();
  const timer = setInterval(look, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

function isSame(path: string, output: number): boolean {
  const [one, other] = [statSync(path, { throwIfNoEntry: false }), fstatSync(output)];
  return one?.isFile() === true && one.ino === other.ino && one.dev === other.dev;
}
