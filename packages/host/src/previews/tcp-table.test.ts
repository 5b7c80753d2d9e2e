import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listeningSockets, TcpTableReader } from './tcp-table.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (local: string, state: string, inode: number): string =>
  `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0000000000000000 100 0 0 10 0\n`;

test('reads addresses of both families, also in pieces, up to the first socket that does not listen', () => {
  const text =
    HEAD +
    row('0100007F:1435', '0A', 11) +
    row('00000000:0050', '0A', 12) +
    row('00000000000000000000000000000000:1F90', '0A', 13) +
    row('00000000000000000000000001000000:1F91', '0A', 14) +
    row('B80D0120000000000000000001000000:1F92', '0A', 15) +
    row('0000000000000000FFFF00000100007F:1F93', '0A', 16) +
    row('0100007F:1436', '01', 17) +
    row('0100007F:1437', '0A', 18);
  const reader = new TcpTableReader();
  const answers: boolean[] = [];
  for (let from = 0; from < text.length; from += 50) answers.push(reader.push(text.slice(from, from + 50)));
  expect(answers).toContain(false);
  expect(reader.sockets.slice(0, 6)).toEqual([
    { address: '127.0.0.1', port: 5173, inode: '11' },
    { address: '0.0.0.0', port: 80, inode: '12' },
    { address: '::', port: 8080, inode: '13' },
    { address: '::1', port: 8081, inode: '14' },
    { address: '2001:db8::1', port: 8082, inode: '15' },
    { address: '127.0.0.1', port: 8083, inode: '16' },
  ]);
  const whole = new TcpTableReader();
  expect(whole.push(text)).toBe(false);
  expect(whole.sockets).toHaveLength(6);
});

test.runIf(process.platform === 'linux')('finds a real socket that listens', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(listeningSockets()).toContainEqual({ address: '127.0.0.1', port, inode: expect.any(String) });
});
