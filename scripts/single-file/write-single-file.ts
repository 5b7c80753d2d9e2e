import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { inject } from 'postject';
import { archiveOf } from './archive.ts';

/** Marks the place in Node's executable that says whether it has an application; see "Single executable applications" of Node's manual. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Flags of every process of the single file; see `HOST_NODE_FLAGS` of the command line. */
const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Parts of a single file. */
export interface SingleFileParts {
  /** Absolute path of the result. Its folder must exist. */
  readonly file: string;
  /** A folder in which our packages are installed, for the target platform. */
  readonly packages: string;
  /** Node's executable for the target platform, of the version that runs. */
  readonly node: string;
  /** Whether the target is macOS, which needs `codesign`. */
  readonly isMac: boolean;
}

/**
 * Writes Node with all installed packages as one executable file, by Node's single executable applications. Rejects when Node, postject or `codesign`
 * fails.
 */
export async function writeSingleFile({ file, packages, node, isMac }: SingleFileParts): Promise<void> {
  const folder = mkdtempSync(join(dirname(file), '.single-file-'));
  const at = (name: string): string => join(folder, name);
  try {
    const manifest = join(packages, 'node_modules/agenthost/package.json');
    const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
    const { index, contents } = archiveOf(packages, version);
    writeFileSync(at('index'), index);
    writeFileSync(at('contents'), contents);
    await build({
      entryPoints: [join(import.meta.dirname, 'launcher.ts')],
      outfile: at('launcher.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'warning',
    });
    const config = {
      main: at('launcher.cjs'),
      output: at('blob'),
      disableExperimentalSEAWarning: true,
      execArgv: NODE_FLAGS,
      assets: { index: at('index'), contents: at('contents') },
    };
    writeFileSync(at('config.json'), JSON.stringify(config));
    execFileSync(process.execPath, ['--experimental-sea-config', at('config.json')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const program = at('program');
    copyFileSync(node, program);
    chmodSync(program, 0o755);
    if (isMac) execFileSync('codesign', ['--remove-signature', program]);
    await inject(program, 'NODE_SEA_BLOB', readFileSync(at('blob')), {
      sentinelFuse: FUSE,
      ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
    });
    if (isMac) execFileSync('codesign', ['--sign', '-', program]);
    renameSync(program, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
