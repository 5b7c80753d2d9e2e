import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { LoopbackPort } from '../host-link/loopback-port.ts';
import { addNamedHost } from '../hosts/host-list.ts';
import { Screen } from '../render/screen.ts';
import { openHost } from './open-host.ts';

test('[AUTH-1] another user cannot listen on the port of `hosts open` before ssh has signed in, and no link is printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-host-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const address = stranger.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise((resolve) => stranger.close(resolve));
  const greeting = JSON.stringify({
    agenthost: '1.2.3',
    url: `http://127.0.0.1:${address.port}`,
    token: 'T0KEN-OF-BUILD',
  });
  // The forwarding `ssh` signs in slowly, and then fails.
  writeFileSync(
    join(folder, 'ssh'),
    `#!/bin/sh\ncase "$*" in *ExitOnForwardFailure*) ;; *) echo '${greeting}'; exec cat;; esac\ntouch ${folder}/forwarding\nwhile [ -e ${folder} ] && ! [ -e ${folder}/go ]; do sleep 0.05; done\nexit 255\n`,
  );
  chmodSync(join(folder, 'ssh'), 0o755);
  const context = new FakeContext({ isTerminal: true });
  context.env['PATH'] = `${folder}:${process.env['PATH']}`;
  context.env['XDG_CONFIG_HOME'] = folder;
  await addNamedHost(context, { name: 'build', url: 'ssh://me@build' }, false);
  const open = vi.spyOn(LoopbackPort, 'open');
  onTestFinished(() => open.mockRestore());
  const opening = openHost(context, new Screen(context), 'build', {});
  const failed = opening.catch(String);
  await vi.waitUntil(() => existsSync(join(folder, 'forwarding')), { timeout: 60_000 });
  await expect(once(stranger.listen(address.port, '127.0.0.1'), 'listening')).rejects.toThrow('EADDRINUSE');
  writeFileSync(join(folder, 'go'), '');
  expect(await failed).toContain('ssh could not reach me@build');
  // The command itself held the address, not another process by chance.
  expect(open).toHaveBeenCalledExactlyOnceWith(address.port);
  expect(await open.mock.results[0]?.value).toHaveProperty('host', '127.0.0.1');
  expect(context.out).not.toContain('T0KEN-OF-BUILD');
});
