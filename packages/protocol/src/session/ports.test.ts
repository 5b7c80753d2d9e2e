import { expect, test } from 'vitest';
import { sessionPorts } from './ports.ts';

const PORT = { port: 5173, address: '127.0.0.1', process: 'node', url: 'http://localhost:5173' };

test('the ports of a session are read from its metadata', () => {
  const vite = { ...PORT, pid: 12, title: 'vite' };
  expect(sessionPorts({ _meta: { ports: [vite, { ...PORT, port: 80 }] } })).toEqual([
    vite,
    { ...PORT, port: 80 },
  ]);
});

test.each([[undefined], [{}], [{ ports: 'x' }], [{ ports: { 0: PORT } }]])(
  'metadata %j has no ports',
  (meta) => {
    expect(sessionPorts(meta === undefined ? {} : { _meta: meta })).toEqual([]);
  },
);

test('entries of a wrong form are left out, and so are optional members', () => {
  const wrong = [
    null,
    7,
    { ...PORT, port: 0 },
    { ...PORT, port: 65_536 },
    { ...PORT, port: '5173' },
    { ...PORT, address: '' },
    { ...PORT, process: 1 },
    { ...PORT, url: undefined },
  ];
  expect(sessionPorts({ _meta: { ports: [...wrong, { ...PORT, pid: 'x', title: {} }] } })).toEqual([PORT]);
});
