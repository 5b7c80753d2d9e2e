// The MCP server that agents start: it copies bytes between its stdin and stdout and the host, which answers
// them. It first sends the secret that the host put into its environment.
import { createConnection } from 'node:net';

const { AGENTHOST_TOOLS_SOCKET: path = '', AGENTHOST_TOOLS_SECRET: secret = '' } = process.env;
const socket = createConnection(path);
socket.write(`${secret}\n`);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', (error) => {
  process.stderr.write(`cannot reach the host that serves these tools: ${error.message}\n`);
  process.exit(1);
});
socket.on('close', () => process.exit(0));
