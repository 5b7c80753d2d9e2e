// oxlint-disable-next-line import/default -- Node loads the CommonJS build of the package
import xterm from '@xterm/xterm';
import { describe, expect, it } from 'vitest';
import { muteReplies } from './mute-replies.ts';

const QUERIES = {
  'device attributes': '\u001b[c\u001b[>c\u001b[=c',
  'cursor position and status': '\u001b[6n\u001b[5n\u001b[?6n',
  modes: '\u001b[4$p\u001b[?25$p',
  settings: '\u001bP$qm\u001b\\\u001bP$qr\u001b\\',
  colours: '\u001b]4;1;?\u0007\u001b]10;?\u0007\u001b]11;?;?\u001b\\\u001b]12;?\u0007',
  window: '\u001b[18t\u001b[14t\u001b[21t',
  clipboard: '\u001b]52;c;?\u0007',
};

async function repliesTo(query: string, isMuted: boolean): Promise<string> {
  const terminal = new xterm.Terminal({ allowProposedApi: true });
  let replies = '';
  terminal.onData((data) => {
    replies += data;
  });
  if (isMuted) muteReplies(terminal.parser);
  await new Promise<void>((done) => terminal.write(query, done));
  terminal.dispose();
  return replies;
}

describe('muteReplies', () => {
  it.each(Object.entries(QUERIES))('[TERM-3] the emulator does not answer queries: %s', async (_, query) => {
    expect(await repliesTo(query, true)).toBe('');
  });

  it('has something to mute', async () => {
    expect(await repliesTo(QUERIES['cursor position and status'], false)).not.toBe('');
  });
});
