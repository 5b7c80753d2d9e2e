// The minimum for a pty in a process of its own: passes keys in and output out over a local socket.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { spawn } from '@lydell/node-pty';
import { serve } from './process.ts';

const server = createServer({ noDelay: true });

async function answer({
  shell: [program = '', ...args],
  cwd,
  path,
}: {
  shell: string[];
  cwd: string;
  path: string;
}): Promise<unknown> {
  server.on('connection', (socket) => {
    const pty = spawn(program, args, { cols: 80, rows: 24, cwd, encoding: null });
    socket.on('data', (keys) => pty.write(String(keys)));
    pty.onData((output) => socket.write(output));
    socket.on('close', () => pty.kill());
  });
  server.listen(path);
  await once(server, 'listening');
  return {};
}

serve(answer, () => void server.close());
