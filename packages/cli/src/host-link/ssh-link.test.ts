import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { greetingLine } from './link-greeting.ts';
import { openSshLink } from './ssh-link.ts';

test('[AUTH-1] ssh gets no secret of agenthost, and its connection is shared with no session of the user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ssh-link-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);
  writeFileSync(
    at('greeting'),
    greetingLine({ agenthost: '1.2.3', url: 'http://127.0.0.1:4711', token: 't' }),
  );
  writeFileSync(
    at('ssh'),
    '#!/bin/sh\nenv > "$FOLDER/env"\nprintf "%s\\n" "$@" > "$FOLDER/args"\ncat "$FOLDER/greeting"\nexec cat\n',
  );
  chmodSync(at('ssh'), 0o755);
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    FOLDER: folder,
    SSH_AUTH_SOCK: '/run/agent',
    AGENTHOST_TOKEN: 'secret-token',
    AGENTHOST_JOURNAL_PASSWORD: 'secret-password',
  };
  const target = { destination: 'me@build', port: '2222', starts: false, env };
  const { stream, url, token } = await openSshLink(target, AbortSignal.timeout(60_000));
  expect([url, token]).toEqual(['http://127.0.0.1:4711', 't']);
  stream.write('echo');
  const [echoed] = await once(stream, 'data');
  expect(String(echoed)).toBe('echo');
  const given = readFileSync(at('env'), 'utf8');
  expect(given).toContain('SSH_AUTH_SOCK=/run/agent');
  expect(given).not.toContain('secret');
  expect(readFileSync(at('args'), 'utf8')).toContain('-o\nControlMaster=no\n');
  const closed = new Promise((resolve) => stream.once('close', resolve));
  stream.destroy();
  await closed;
});
