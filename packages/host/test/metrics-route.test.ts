import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../src/lib/log.ts';
import { createHost } from '../src/main/create-host.ts';

const TOKEN = 'owner-token-of-at-least-32-characters';

async function listening(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agenthost-metrics-'));
  const host = createHost({ agents: [], dataDir, log: silentLog, listen: { port: 0, token: TOKEN } });
  const address = await host.start();
  onTestFinished(async () => {
    await host.stop();
    rmSync(dataDir, { recursive: true });
  });
  return `${address?.url}/metrics`;
}

test('/metrics shows the metrics to the holder of a token', async () => {
  const response = await fetch(await listening(), { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text).toContain('agenthost_connections{scope="admin"} 0\n');
  expect(text).toContain('# TYPE agenthost_commits_total counter\n');
  expect(text).toMatch(/^process_memory_usage_bytes \d+$/m);
});

test.each([undefined, 'Bearer wrong'])('/metrics refuses the header %s', async (authorization) => {
  const url = await listening();
  const response = await fetch(url, authorization === undefined ? {} : { headers: { authorization } });
  expect(response.status).toBe(401);
  expect(await response.text()).not.toContain('agenthost_');
});

test('/metrics refuses other methods, and requests of foreign pages', async () => {
  const url = await listening();
  const authorization = `Bearer ${TOKEN}`;
  expect((await fetch(url, { method: 'POST', headers: { authorization } })).status).toBe(405);
  const origin = 'https://elsewhere.example';
  expect((await fetch(url, { headers: { authorization, origin } })).status).toBe(403);
  const head = await fetch(url, { method: 'HEAD', headers: { authorization } });
  expect([head.status, await head.text()]).toEqual([200, '']);
});
