import { createRequire } from 'node:module';
import { PtyError } from '../pty.ts';

/** What the prebuilt binding of node-pty does on Linux and macOS. */
export interface NativePty {
  /**
   * Starts `file` as leader of a new session on a new pty. Throws when the system has no pty or process left; that the program
   * itself cannot be run shows as exit code 1. On Linux, `fd` is open in every process started afterwards, since Node has no way to
   * mark it: so that a process lives does not show by its pty staying open, and no pty is counted on to hang up.
   */
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    isUtf8: boolean,
    helperPath: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { readonly fd: number; readonly pid: number; readonly pty: string };
  /** Throws when `fd` is no pty. */
  resize(fd: number, cols: number, rows: number): void;
}

/** The binding, and the program by which it starts processes on macOS. */
export interface LoadedNativePty {
  readonly native: NativePty;
  readonly helperPath: string;
}

let loaded: LoadedNativePty | undefined;

/**
 * Loads the binding at its first use, so that a host without terminals starts on every platform. The binding itself and not the
 * class around it: that one ends reading 200 ms after the process, whatever is still unread, and writes in a loop that blocks the
 * event loop while the program does not read. Throws `PtyError` where there is none for this platform.
 */
export function loadNativePty(): LoadedNativePty {
  loaded ??= load();
  return loaded;
}

function load(): LoadedNativePty {
  const { platform, arch } = process;
  if (platform === 'win32') throw new PtyError('terminals need Linux or macOS; this is Windows');
  const require = createRequire(import.meta.url);
  try {
    const native: NativePty = require('@lydell/node-pty/requireBinary.js').requireBinary('pty.node');
    const helperPath =
      platform === 'darwin' ? require.resolve(`@lydell/node-pty-darwin-${arch}/spawn-helper`) : 'unused';
    return { native, helperPath };
  } catch (cause) {
    const message = `the pty library cannot be loaded on ${platform} ${arch}: install agenthost with its optional dependencies`;
    throw new PtyError(message, { cause });
  }
}
