// A Model Context Protocol server for an agent, which speaks to it by stdin and stdout: it passes the bytes on to the host, which
// answers them. It says first who it is, by a secret that the host gave it in its environment.
import { createConnection } from 'node:net';

const { AGENTHOST_TOOLS_SOCKET: path = '', AGENTHOST_TOOLS_SECRET: secret = '' } = process.env;
const socket = createConnection(path);
socket.write(`${secret}\n`);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', (error) => {
  process.stderr.write(`the host of these tools cannot be reached: ${error.message}\n`);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
