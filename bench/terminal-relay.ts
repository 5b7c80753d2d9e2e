// The minimum for a pty over a WebSocket: passes keys in and output out, without checks, storage or sharing.

import { once } from 'node:events';
import { connect } from 'node:net';
import { spawn } from '@lydell/node-pty';
import { WebSocketServer } from 'ws';
import { serve } from './process.ts';

const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });

async function answer({
  shell: [program = '', ...args],
  cwd,
  path,
}: {
  shell: string[];
  cwd: string;
  /** Path of the socket to the process with the pty. Absent: the pty is in this process. */
  path?: string;
}): Promise<unknown> {
  if (sockets.address() === null) await once(sockets, 'listening');
  sockets.on('connection', (socket) => {
    if (path !== undefined) {
      const keeper = connect(path);
      socket.on('message', (keys) => keeper.write(String(keys)));
      keeper.on('data', (output) => socket.send(output, { binary: false }));
      socket.on('close', () => keeper.destroy());
      return;
    }
    const pty = spawn(program, args, { cols: 80, rows: 24, cwd });
    socket.on('message', (keys) => pty.write(String(keys)));
    pty.onData((text) => socket.send(text));
    socket.on('close', () => pty.kill());
  });
  const address = sockets.address();
  return { url: `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}

serve(answer, () => sockets.close());
